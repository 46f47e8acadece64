-- What a bulk did with each email is kept for a time, and then only how many were left out and why.
ALTER TABLE "email_bulks" ADD COLUMN "refused" JSONB, ADD COLUMN "forgotten_at" TIMESTAMPTZ(3), ADD COLUMN "emptied_at" TIMESTAMPTZ(3);

-- Those that still have their emails, the oldest first: for the tick that asks whether any is old enough.
CREATE INDEX "email_bulks_kept_idx" ON "email_bulks" ("finished_at") WHERE "emptied_at" IS NULL AND "finished_at" IS NOT NULL;
CREATE INDEX "email_bulks_undoes_idx" ON "email_bulks" ("undoes_id") WHERE "undoes_id" IS NOT NULL;
