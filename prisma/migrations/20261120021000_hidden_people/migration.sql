-- Who is archived, erased or merged is in no list that is shown: found without reading everybody else, so that those who are
-- shown can be counted as all but these. Costs nobody else a write.
CREATE INDEX "prospects_hidden_idx" ON "prospects" ("workspace_id", "id")
  WHERE "archived_at" IS NOT NULL OR "erased_at" IS NOT NULL OR "merged_into_id" IS NOT NULL;
