-- The overview counts them from the index alone: who was merged into another counts there, and is not in it.
DROP INDEX "prospects_bounced_idx";
DROP INDEX "prospects_replied_idx";
DROP INDEX "prospects_unsubscribed_idx";
CREATE INDEX "prospects_bounced_idx" ON "prospects" ("workspace_id", "bounced_at") WHERE "bounced_at" IS NOT NULL AND "merged_into_id" IS NULL;
CREATE INDEX "prospects_replied_idx" ON "prospects" ("workspace_id", "replied_at") WHERE "replied_at" IS NOT NULL AND "merged_into_id" IS NULL;
CREATE INDEX "prospects_unsubscribed_idx" ON "prospects" ("workspace_id", "unsubscribed_at") WHERE "unsubscribed_at" IS NOT NULL AND "merged_into_id" IS NULL;
