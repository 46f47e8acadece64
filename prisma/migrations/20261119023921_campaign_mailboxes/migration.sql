-- AlterTable
ALTER TABLE "campaigns" ADD COLUMN     "mailbox_ids" UUID[] DEFAULT ARRAY[]::UUID[];

-- What was done to one campaign, however long the log of its workspace.
CREATE INDEX "audit_log_campaign_idx" ON "audit_log"("target_id", "id") WHERE "target_kind" = 'campaign';
