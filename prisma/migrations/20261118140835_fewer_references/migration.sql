-- DropForeignKey
ALTER TABLE "scheduled_emails" DROP CONSTRAINT "scheduled_emails_campaign_id_fkey";

-- DropForeignKey
ALTER TABLE "scheduled_emails" DROP CONSTRAINT "scheduled_emails_prospect_id_fkey";

-- DropForeignKey
ALTER TABLE "scheduled_emails" DROP CONSTRAINT "scheduled_emails_sequence_id_fkey";

-- DropForeignKey
ALTER TABLE "scheduled_emails" DROP CONSTRAINT "scheduled_emails_workspace_id_fkey";
