-- CreateTable
CREATE TABLE "gmail_accounts" (
    "mailbox_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "scopes" TEXT[],
    "fence_proven_at" TIMESTAMPTZ(3),
    "access_expires_at" TIMESTAMPTZ(3),
    "renewing_until" TIMESTAMPTZ(3),
    "renewal" INTEGER NOT NULL DEFAULT 0,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "gmail_accounts_pkey" PRIMARY KEY ("mailbox_id")
);

-- CreateTable
CREATE TABLE "gmail_asks" (
    "state_hash" BYTEA NOT NULL,
    "workspace_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "mailbox_id" UUID,
    "wish" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "gmail_asks_pkey" PRIMARY KEY ("state_hash")
);

-- CreateIndex
CREATE INDEX "gmail_accounts_workspace_id_idx" ON "gmail_accounts"("workspace_id");

-- CreateIndex
CREATE INDEX "gmail_accounts_subject_idx" ON "gmail_accounts"("subject");

-- CreateIndex
CREATE INDEX "gmail_asks_asked_at_idx" ON "gmail_asks"("asked_at");

-- AddForeignKey
ALTER TABLE "gmail_accounts" ADD CONSTRAINT "gmail_accounts_mailbox_id_fkey" FOREIGN KEY ("mailbox_id") REFERENCES "mailboxes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gmail_accounts" ADD CONSTRAINT "gmail_accounts_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gmail_asks" ADD CONSTRAINT "gmail_asks_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "gmail_asks" ADD CONSTRAINT "gmail_asks_wish_check" CHECK ("wish" IN ('drafts', 'send'));
