-- CreateEnum
CREATE TYPE "email_part_kind" AS ENUM ('ATTACHMENT', 'CALENDAR');

-- CreateTable
CREATE TABLE "email_requests" (
    "email_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "fingerprint" BYTEA NOT NULL,

    CONSTRAINT "email_requests_pkey" PRIMARY KEY ("email_id")
);

-- CreateTable
CREATE TABLE "email_parts" (
    "email_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "workspace_id" UUID NOT NULL,
    "kind" "email_part_kind" NOT NULL,
    "file_name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "email_parts_pkey" PRIMARY KEY ("email_id","position")
);

-- AddForeignKey
ALTER TABLE "email_requests" ADD CONSTRAINT "email_requests_email_id_fkey" FOREIGN KEY ("email_id") REFERENCES "scheduled_emails"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email_parts" ADD CONSTRAINT "email_parts_email_id_fkey" FOREIGN KEY ("email_id") REFERENCES "scheduled_emails"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Files are compressed already; trying again costs time and gains nothing.
ALTER TABLE "email_parts" ALTER COLUMN "content" SET STORAGE EXTERNAL;
