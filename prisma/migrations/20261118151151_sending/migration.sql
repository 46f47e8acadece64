-- AlterTable
ALTER TABLE "mailboxes" ADD COLUMN     "fault_until" TIMESTAMPTZ(3),
ADD COLUMN     "faults_in_row" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "last_campaign_id" UUID,
ADD COLUMN     "last_marked_at" TIMESTAMPTZ(3),
ADD COLUMN     "pause_reason" TEXT;

-- AlterTable
ALTER TABLE "scheduled_emails" ADD COLUMN     "content_token" INTEGER,
ADD COLUMN     "reserved_date" DATE;

-- CreateTable
CREATE TABLE "email_contents" (
    "email_id" UUID NOT NULL,
    "content_token" INTEGER NOT NULL,
    "workspace_id" UUID NOT NULL,
    "from_name" TEXT NOT NULL,
    "from_address" TEXT NOT NULL,
    "to_name" TEXT NOT NULL,
    "to_address" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "body_text" TEXT NOT NULL,
    "body_html" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "date" TIMESTAMPTZ(3) NOT NULL,
    "headers" JSONB NOT NULL,
    "erased_at" TIMESTAMPTZ(3),

    CONSTRAINT "email_contents_pkey" PRIMARY KEY ("email_id","content_token")
);

-- What was sent does not change. Erasing a person empties it, once.
CREATE FUNCTION is_emptied(before email_contents, after email_contents) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT before.erased_at IS NULL AND after.erased_at IS NOT NULL
    AND (before.email_id, before.content_token, before.workspace_id, before.from_name, before.from_address, before.message_id, before.date)
      = (after.email_id, after.content_token, after.workspace_id, after.from_name, after.from_address, after.message_id, after.date)
    AND (after.to_name, after.to_address, after.subject, after.body_text, after.body_html, after.headers) = ('', '', '', '', '', '{}'::jsonb)
$$;
CREATE TRIGGER "email_contents_frozen" BEFORE UPDATE ON "email_contents" FOR EACH ROW
WHEN (NOT is_emptied(OLD, NEW)) EXECUTE FUNCTION refuse_change('what was sent does not change');
CREATE TRIGGER "email_contents_keep" BEFORE DELETE ON "email_contents" FOR EACH ROW EXECUTE FUNCTION refuse_change('what was sent is never deleted');
CREATE TRIGGER "email_contents_keep_all" BEFORE TRUNCATE ON "email_contents" EXECUTE FUNCTION refuse_change('what was sent is never deleted');

-- claim: what is due at a mailbox, oldest first within each campaign. By campaign, so that one that is paused with a
-- million due emails, or one that is much larger than the others, is not in the way of any other.
DROP INDEX "scheduled_emails_due_idx";
CREATE INDEX "scheduled_emails_due_idx" ON "scheduled_emails" ("mailbox_id", "campaign_id", "ready_at")
  WHERE status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at IS NOT NULL;

-- recover asks for leases that ran out, the claim whether a mailbox has one in flight. As short as that list is.
DROP INDEX "scheduled_emails_lease_idx";
CREATE INDEX "scheduled_emails_lease_idx" ON "scheduled_emails" ("mailbox_id", "lease_until") WHERE status = 'SENDING';

-- Both rows change with every claim, and nothing that changes is indexed: room for the next version on the same page.
ALTER TABLE "mailbox_days" SET (fillfactor = 50);
ALTER TABLE "workspace_days" SET (fillfactor = 50);
ALTER TABLE "mailboxes" SET (fillfactor = 50);
