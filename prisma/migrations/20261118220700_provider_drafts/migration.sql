CREATE TABLE "provider_drafts" (
    "email_id" UUID NOT NULL,
    "lease_token" INTEGER NOT NULL,
    "workspace_id" UUID NOT NULL,
    "draft_id" TEXT NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_drafts_pkey" PRIMARY KEY ("email_id","lease_token")
);
ALTER TABLE "provider_drafts" ADD CONSTRAINT "provider_drafts_email_id_fkey" FOREIGN KEY ("email_id") REFERENCES "scheduled_emails"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
