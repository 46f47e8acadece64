-- Which mailbox a draft lies in, since its email may be planned onto another, and when ticks look after it next.
ALTER TABLE "provider_drafts" ADD COLUMN "mailbox_id" UUID,
ADD COLUMN "look_at" TIMESTAMPTZ(3),
ADD COLUMN "looks" INTEGER NOT NULL DEFAULT 0;
UPDATE "provider_drafts" d SET "mailbox_id" = e."mailbox_id", "look_at" = d."made_at"
  FROM "scheduled_emails" e WHERE e."id" = d."email_id";
ALTER TABLE "provider_drafts" ALTER COLUMN "mailbox_id" SET NOT NULL;

-- What is still to be looked after, by mailbox: however many drafts there were, these are few.
CREATE INDEX "provider_drafts_look" ON "provider_drafts" ("mailbox_id", "look_at") WHERE "look_at" IS NOT NULL;
