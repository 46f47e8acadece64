-- CreateEnum
CREATE TYPE "suppression_kind" AS ENUM ('ADDRESS', 'DOMAIN');

-- CreateEnum
CREATE TYPE "suppression_source" AS ENUM ('PERSON', 'UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT');

-- AlterTable
ALTER TABLE "prospects" ADD COLUMN     "merged_into_id" UUID;

-- CreateTable
CREATE TABLE "prospect_lists" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "prospect_lists_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "list_members" (
    "list_id" UUID NOT NULL,
    "prospect_id" UUID NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "list_members_pkey" PRIMARY KEY ("list_id","prospect_id")
);

-- CreateTable
CREATE TABLE "suppressions" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "kind" "suppression_kind" NOT NULL,
    "value" TEXT,
    "value_hash" BYTEA NOT NULL,
    "reason" TEXT,
    "source" "suppression_source" NOT NULL,
    "created_by_id" UUID,
    "created_by_email" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "suppressions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "import_jobs" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "options" JSONB NOT NULL,
    "encoding" TEXT NOT NULL,
    "delimiter" TEXT NOT NULL,
    "committed_records" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "revived" INTEGER NOT NULL DEFAULT 0,
    "unchanged" INTEGER NOT NULL DEFAULT 0,
    "duplicates" INTEGER NOT NULL DEFAULT 0,
    "suppressed" INTEGER NOT NULL DEFAULT 0,
    "unsubscribed" INTEGER NOT NULL DEFAULT 0,
    "rejected" INTEGER NOT NULL DEFAULT 0,
    "created_by_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "import_jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "import_addresses" (
    "job_id" UUID NOT NULL,
    "address_hash" BYTEA NOT NULL,
    "line" INTEGER NOT NULL,

    CONSTRAINT "import_addresses_pkey" PRIMARY KEY ("job_id","address_hash")
);

-- CreateTable
CREATE TABLE "import_issues" (
    "job_id" UUID NOT NULL,
    "line" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "import_issues_pkey" PRIMARY KEY ("job_id","line")
);

-- CreateIndex
CREATE INDEX "prospect_lists_workspace_id_id_idx" ON "prospect_lists"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "list_members_prospect_id_idx" ON "list_members"("prospect_id");

-- CreateIndex
CREATE INDEX "suppressions_workspace_id_id_idx" ON "suppressions"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "suppressions_workspace_id_value_hash_key" ON "suppressions"("workspace_id", "value_hash");

-- CreateIndex
CREATE INDEX "import_jobs_workspace_id_fingerprint_idx" ON "import_jobs"("workspace_id", "fingerprint");

-- CreateIndex
CREATE INDEX "prospects_workspace_id_id_idx" ON "prospects"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "prospects_merged_into_id_idx" ON "prospects"("merged_into_id");

-- AddForeignKey
ALTER TABLE "prospects" ADD CONSTRAINT "prospects_merged_into_id_fkey" FOREIGN KEY ("merged_into_id") REFERENCES "prospects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "prospect_lists" ADD CONSTRAINT "prospect_lists_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "list_members" ADD CONSTRAINT "list_members_list_id_fkey" FOREIGN KEY ("list_id") REFERENCES "prospect_lists"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "list_members" ADD CONSTRAINT "list_members_prospect_id_fkey" FOREIGN KEY ("prospect_id") REFERENCES "prospects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "suppressions" ADD CONSTRAINT "suppressions_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_jobs" ADD CONSTRAINT "import_jobs_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_addresses" ADD CONSTRAINT "import_addresses_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "import_jobs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_issues" ADD CONSTRAINT "import_issues_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "import_jobs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE UNIQUE INDEX "prospect_lists_name_key" ON "prospect_lists" ("workspace_id", lower("name")) WHERE "archived_at" IS NULL;

-- The prospects of a suppressed domain and of its subdomains: read from the end, they begin alike.
CREATE INDEX "prospects_domain_idx" ON "prospects" ("workspace_id", reverse(split_part("email", '@', 2)) text_pattern_ops)
  WHERE "email" IS NOT NULL;

-- One file is imported once at a time; whoever sends it again goes on with it.
CREATE UNIQUE INDEX "import_jobs_unfinished_key" ON "import_jobs" ("workspace_id", "fingerprint") WHERE "finished_at" IS NULL;

ALTER TABLE "prospects" ADD CONSTRAINT "prospects_merged" CHECK (
  "merged_into_id" IS NULL OR ("merged_into_id" <> "id" AND "archived_at" IS NOT NULL)
);
ALTER TABLE "suppressions" ADD CONSTRAINT "suppressions_value" CHECK ("value" IS NOT NULL OR "kind" = 'ADDRESS');
