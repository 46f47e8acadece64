-- CreateEnum
CREATE TYPE "smtp_security" AS ENUM ('STARTTLS', 'TLS', 'NONE');

-- CreateTable
CREATE TABLE "smtp_settings" (
    "mailbox_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "port" INTEGER NOT NULL,
    "security" "smtp_security" NOT NULL,
    "username" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "smtp_settings_pkey" PRIMARY KEY ("mailbox_id")
);

-- CreateIndex
CREATE INDEX "smtp_settings_workspace_id_idx" ON "smtp_settings"("workspace_id");

-- AddForeignKey
ALTER TABLE "smtp_settings" ADD CONSTRAINT "smtp_settings_mailbox_id_fkey" FOREIGN KEY ("mailbox_id") REFERENCES "mailboxes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "smtp_settings" ADD CONSTRAINT "smtp_settings_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "smtp_settings" ADD CONSTRAINT "smtp_settings_server_check" CHECK (host <> '' AND port BETWEEN 1 AND 65535);
