-- CreateTable
CREATE TABLE "email_recipients" (
    "email_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "workspace_id" UUID NOT NULL,
    -- By its bytes: what begins with a text is then one range of the index.
    "address" TEXT COLLATE "C",
    "erased_at" TIMESTAMPTZ(3),

    CONSTRAINT "email_recipients_pkey" PRIMARY KEY ("email_id","position")
);

-- CreateTable
CREATE TABLE "email_templates" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "subject" TEXT NOT NULL DEFAULT '',
    "body_text" TEXT NOT NULL DEFAULT '',
    "body_html" TEXT NOT NULL DEFAULT '',
    "inlined_html" TEXT,
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "email_templates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "password_reset_asks" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "password_reset_asks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alerts" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL DEFAULT '',
    "sentence" TEXT NOT NULL,
    "noticed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "ended_at" TIMESTAMPTZ(3),
    "told_at" TIMESTAMPTZ(3),

    CONSTRAINT "alerts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_looks" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "looked_at" TIMESTAMPTZ(3),

    CONSTRAINT "alert_looks_pkey" PRIMARY KEY ("id")
);

-- AlterTable
ALTER TABLE "invitations" ADD COLUMN     "mail_id" UUID;

-- CreateIndex
CREATE INDEX "email_recipients_workspace_id_address_email_id_idx" ON "email_recipients"("workspace_id", "address", "email_id");

-- CreateIndex
CREATE INDEX "email_templates_workspace_id_id_idx" ON "email_templates"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "alerts_workspace_id_told_at_idx" ON "alerts"("workspace_id", "told_at");

-- AddForeignKey
ALTER TABLE "email_recipients" ADD CONSTRAINT "email_recipients_email_id_fkey" FOREIGN KEY ("email_id") REFERENCES "scheduled_emails"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email_templates" ADD CONSTRAINT "email_templates_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A program names a template in its calls, so two of one name would be a coin's toss.
CREATE UNIQUE INDEX "email_templates_name_key" ON "email_templates" ("workspace_id", lower("name")) WHERE "archived_at" IS NULL;
CREATE TRIGGER "email_templates_version" BEFORE UPDATE OF "updated_at" ON "email_templates" FOR EACH ROW EXECUTE FUNCTION raise_version();

-- A happening is noticed once, however many look at once; the next one of its kind comes after its end.
CREATE UNIQUE INDEX "alerts_open_key" ON "alerts" ("workspace_id", "kind", "subject") WHERE "ended_at" IS NULL;
-- What owners have not been told of yet: a handful.
CREATE INDEX "alerts_untold_idx" ON "alerts" ("workspace_id") WHERE "told_at" IS NULL;

-- An address is there until its person is erased, and does not come back.
ALTER TABLE "email_recipients" ADD CONSTRAINT "email_recipients_erased" CHECK (("address" IS NULL) = ("erased_at" IS NOT NULL));

-- Those that were stored before. The product's own mails are looked for by nobody, and keep no address.
INSERT INTO "email_recipients" ("email_id", "position", "workspace_id", "address")
SELECT e."id", 0, e."workspace_id", c."to_address" FROM "scheduled_emails" e
JOIN "email_contents" c ON c."email_id" = e."id" AND c."content_token" = 0
WHERE e."kind" = 'TRANSACTIONAL' AND c."erased_at" IS NULL AND EXISTS (SELECT FROM "email_requests" r WHERE r."email_id" = e."id");

-- As before (20261118151437): texts of an attempt may go once its person is erased. A transactional email has recipients, and no prospect.
CREATE OR REPLACE FUNCTION refuse_attempt_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.provider_text IS NULL OR NEW.provider_text IS NOT DISTINCT FROM OLD.provider_text)
    AND (NEW.evidence_text IS NULL OR NEW.evidence_text IS NOT DISTINCT FROM OLD.evidence_text)
    AND (NEW.receipt IS NULL OR NEW.receipt IS NOT DISTINCT FROM OLD.receipt)
    AND to_jsonb(OLD) - ARRAY['provider_text', 'evidence_text', 'receipt'] = to_jsonb(NEW) - ARRAY['provider_text', 'evidence_text', 'receipt']
    AND (EXISTS (SELECT FROM scheduled_emails e JOIN prospects p ON p.id = e.prospect_id WHERE e.id = OLD.email_id AND p.erased_at IS NOT NULL)
      OR EXISTS (SELECT FROM email_recipients r WHERE r.email_id = OLD.email_id AND r.erased_at IS NOT NULL))
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

-- One look at a time, in the whole installation.
ALTER TABLE "alert_looks" ADD CONSTRAINT "alert_looks_one" CHECK ("id" = 1);
INSERT INTO "alert_looks" DEFAULT VALUES;
