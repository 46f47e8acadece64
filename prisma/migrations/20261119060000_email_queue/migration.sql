-- The dismissed ones, newest first: few, and written only when a person dismisses or takes it back.
CREATE INDEX "scheduled_emails_dismissed_list_idx" ON "scheduled_emails" ("workspace_id", "id")
  WHERE "status" = 'PERMANENTLY_FAILED' AND "dismissed_at" IS NOT NULL;

-- What was done to one email, however long the log of its workspace.
CREATE INDEX "audit_log_email_idx" ON "audit_log"("target_id", "id") WHERE "target_kind" = 'email';

-- A deed for many emails: goes on slice by slice, in a transaction each, whoever looks on.
CREATE TABLE "email_bulks" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "actor" JSONB NOT NULL,
  "wish" JSONB NOT NULL,
  "selection" JSONB NOT NULL,
  "total" INTEGER,
  "cursor" UUID,
  "looked_at" INTEGER NOT NULL DEFAULT 0,
  "done" INTEGER NOT NULL DEFAULT 0,
  "undoes_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "advanced_at" TIMESTAMPTZ(3),
  "stopped_at" TIMESTAMPTZ(3),
  "finished_at" TIMESTAMPTZ(3),
  "failure" TEXT,
  CONSTRAINT "email_bulks_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "email_bulk_items" (
  "bulk_id" UUID NOT NULL,
  "email_id" UUID NOT NULL,
  "answer" TEXT NOT NULL,
  "status" "scheduled_email_status",
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
  CONSTRAINT "email_bulk_items_pkey" PRIMARY KEY ("bulk_id", "email_id")
);

CREATE INDEX "email_bulks_workspace_id_id_idx" ON "email_bulks"("workspace_id", "id");
-- Those that go on: a handful.
CREATE INDEX "email_bulks_open_idx" ON "email_bulks" ("id") WHERE "finished_at" IS NULL;
CREATE INDEX "email_bulk_items_email_id_idx" ON "email_bulk_items"("email_id");

ALTER TABLE "email_bulks" ADD CONSTRAINT "email_bulks_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "email_bulks" ADD CONSTRAINT "email_bulks_undoes_id_fkey" FOREIGN KEY ("undoes_id") REFERENCES "email_bulks"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "email_bulk_items" ADD CONSTRAINT "email_bulk_items_bulk_id_fkey" FOREIGN KEY ("bulk_id") REFERENCES "email_bulks"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
