-- Who is archived is in no list that is shown: found without reading everybody else. Costs those who are not archived nothing.
CREATE INDEX "prospects_archived_idx" ON "prospects" ("workspace_id", "id") WHERE "archived_at" IS NOT NULL;
