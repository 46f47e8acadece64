-- A page of a campaign's emails, of all states or of one, is read in its order from the index.
-- DropIndex
DROP INDEX "scheduled_emails_campaign_id_status_idx";

-- CreateIndex
CREATE INDEX "scheduled_emails_campaign_id_status_id_idx" ON "scheduled_emails"("campaign_id", "status", "id");

-- What is parked, for whoever lifts what parked it. Empty as long as nothing is.
CREATE INDEX "scheduled_emails_parked_idx" ON "scheduled_emails" ("workspace_id", "blocker", "mailbox_id") WHERE "blocker" IS NOT NULL;

-- An attempt stays as it is, but for what is personal in it once its prospect is erased: texts may go, nothing may come.
CREATE FUNCTION refuse_attempt_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.provider_text IS NULL OR NEW.provider_text IS NOT DISTINCT FROM OLD.provider_text)
    AND (NEW.evidence_text IS NULL OR NEW.evidence_text IS NOT DISTINCT FROM OLD.evidence_text)
    AND (NEW.receipt IS NULL OR NEW.receipt IS NOT DISTINCT FROM OLD.receipt)
    AND to_jsonb(OLD) - ARRAY['provider_text', 'evidence_text', 'receipt'] = to_jsonb(NEW) - ARRAY['provider_text', 'evidence_text', 'receipt']
    AND EXISTS (SELECT FROM scheduled_emails e JOIN prospects p ON p.id = e.prospect_id WHERE e.id = OLD.email_id AND p.erased_at IS NOT NULL)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

DROP TRIGGER "email_attempts_append_only" ON "email_attempts";
CREATE TRIGGER "email_attempts_append_only" BEFORE UPDATE ON "email_attempts" FOR EACH ROW
WHEN (OLD.evidence IS NOT NULL
  OR (OLD.email_id, OLD.lease_token, OLD.workspace_id, OLD.number, OLD.worker, OLD.started_at, OLD.marked_at, OLD.ended_at, OLD.outcome,
      OLD.error_class, OLD.error_code, OLD.provider_text, OLD.receipt)
    IS DISTINCT FROM
    (NEW.email_id, NEW.lease_token, NEW.workspace_id, NEW.number, NEW.worker, NEW.started_at, NEW.marked_at, NEW.ended_at, NEW.outcome,
      NEW.error_class, NEW.error_code, NEW.provider_text, NEW.receipt)
  OR (NEW.evidence IS NULL AND (OLD.message_id, OLD.thread_id) IS DISTINCT FROM (NEW.message_id, NEW.thread_id)))
EXECUTE FUNCTION refuse_attempt_change('an attempt that ended does not change');

-- Looking for prospects by a part of their name or address. Where a server comes without pg_trgm the search reads the
-- workspace's prospects one by one: slower, and the same answer.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX "prospects_search_idx" ON "prospects" USING gin (
      lower(coalesce("email", '') || ' ' || coalesce("first_name", '') || ' ' || coalesce("last_name", '') || ' ' || coalesce("company", '')) gin_trgm_ops
    ) WHERE "erased_at" IS NULL AND "merged_into_id" IS NULL;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'pg_trgm cannot be installed by this role, so searching prospects has no index';
END $$;

-- Whoever was erased in the last days, for what workers write down of them afterwards.
CREATE INDEX "prospects_erased_idx" ON "prospects" ("erased_at") WHERE "erased_at" IS NOT NULL;
