-- Which prospects a suppressed domain covers, asked from the prospects' side.
CREATE UNIQUE INDEX "suppressions_domain_key" ON "suppressions" ("workspace_id", "value") WHERE "kind" = 'DOMAIN';
