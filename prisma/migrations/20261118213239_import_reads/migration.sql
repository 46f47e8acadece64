-- AlterTable
ALTER TABLE "import_jobs" ADD COLUMN     "encoding_by" TEXT NOT NULL DEFAULT 'evidence',
ADD COLUMN     "issues_kept" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "starts_with_person" BOOLEAN NOT NULL DEFAULT false;
