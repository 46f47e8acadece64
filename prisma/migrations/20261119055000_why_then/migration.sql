-- AlterTable
ALTER TABLE "scheduled_emails" ADD COLUMN     "limited_by" TEXT,
ADD COLUMN     "limited_on" DATE;
