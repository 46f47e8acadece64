-- Who left, by the day on which they did: the overview counts thirty of them. Few of a workspace's people are in these.
CREATE INDEX "prospects_bounced_idx" ON "prospects" ("workspace_id", "bounced_at") WHERE "bounced_at" IS NOT NULL;
CREATE INDEX "prospects_replied_idx" ON "prospects" ("workspace_id", "replied_at") WHERE "replied_at" IS NOT NULL;
CREATE INDEX "prospects_unsubscribed_idx" ON "prospects" ("workspace_id", "unsubscribed_at") WHERE "unsubscribed_at" IS NOT NULL;
