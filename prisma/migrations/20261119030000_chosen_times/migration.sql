-- AlterTable
ALTER TABLE "scheduled_emails" ADD COLUMN     "chosen_at" TIMESTAMPTZ(3);
