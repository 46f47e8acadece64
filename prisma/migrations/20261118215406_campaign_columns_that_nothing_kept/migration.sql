-- AlterTable
ALTER TABLE "campaigns" DROP COLUMN "last_cursor",
DROP COLUMN "last_sent_at";
