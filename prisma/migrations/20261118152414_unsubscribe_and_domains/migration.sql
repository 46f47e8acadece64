-- AlterTable
ALTER TABLE "prospects" ADD COLUMN     "unsubscribed_by_reader" BOOLEAN NOT NULL DEFAULT false;

-- Whose doing it was is said only while it holds.
ALTER TABLE "prospects" ADD CONSTRAINT "prospects_unsubscribed_by_reader"
  CHECK (NOT "unsubscribed_by_reader" OR "unsubscribed_at" IS NOT NULL);

-- CreateTable
CREATE TABLE "sending_domains" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "selector" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "verified_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "sending_domains_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "sending_domains_workspace_id_domain_key" ON "sending_domains"("workspace_id", "domain");

-- AddForeignKey
ALTER TABLE "sending_domains" ADD CONSTRAINT "sending_domains_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
