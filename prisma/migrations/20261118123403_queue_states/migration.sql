-- AlterTable
ALTER TABLE "email_attempts" ADD COLUMN     "evidence" "attempt_outcome",
ADD COLUMN     "evidence_at" TIMESTAMPTZ(3),
ADD COLUMN     "evidence_text" TEXT,
ADD COLUMN     "marked_at" TIMESTAMPTZ(3),
ADD COLUMN     "message_id" TEXT,
ADD COLUMN     "thread_id" TEXT,
ALTER COLUMN "ended_at" SET NOT NULL,
ALTER COLUMN "outcome" SET NOT NULL;

-- AlterTable
ALTER TABLE "scheduled_emails" ADD COLUMN     "accepted_token" INTEGER,
ADD COLUMN     "leased_at" TIMESTAMPTZ(3),
ADD COLUMN     "status_reason" TEXT;

-- What follows is src/lib/email-scheduler/states.ts said to Postgres; states-agreement.test.ts compares the two arrow by
-- arrow. Everything that is legal is decided in a WHEN or a CHECK: no function is called unless something is refused.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%: %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE FUNCTION refuse_arrow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an email that is % cannot become %', OLD.status, NEW.status
    USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER "scheduled_emails_arrow" BEFORE UPDATE OF "status" ON "scheduled_emails" FOR EACH ROW
WHEN (OLD.status IS DISTINCT FROM NEW.status AND NOT CASE OLD.status
  WHEN 'SCHEDULED' THEN NEW.status IN ('SENDING', 'CANCELLED')
  WHEN 'SENDING' THEN NEW.status IN ('SENT', 'FAILED', 'OUTCOME_UNKNOWN', 'SCHEDULED', 'RETRY_SCHEDULED', 'CANCELLED')
  WHEN 'FAILED' THEN NEW.status IN ('RETRY_SCHEDULED', 'PERMANENTLY_FAILED', 'CANCELLED')
  WHEN 'RETRY_SCHEDULED' THEN NEW.status IN ('SENDING', 'SENT', 'CANCELLED')
  WHEN 'OUTCOME_UNKNOWN' THEN NEW.status IN ('SENT', 'RETRY_SCHEDULED', 'CANCELLED')
  WHEN 'PERMANENTLY_FAILED' THEN NEW.status = 'RETRY_SCHEDULED'
  WHEN 'CANCELLED' THEN NEW.status = 'SENT' OR (NEW.status = 'SCHEDULED' AND OLD.marked_token IS NULL)
  ELSE false -- SENT is final
END)
EXECUTE FUNCTION refuse_arrow();

-- FAILED is passed through: by the end of the transaction there must be a verdict.
CREATE FUNCTION refuse_resting_failed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM scheduled_emails WHERE id = NEW.id AND status = 'FAILED') THEN
    RAISE EXCEPTION 'an email cannot stay FAILED: its verdict belongs in the same transaction'
      USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER "scheduled_emails_verdict" AFTER UPDATE OF "status" ON "scheduled_emails"
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.status = 'FAILED')
EXECUTE FUNCTION refuse_resting_failed();

-- Who an email is for never changes: its key would lie.
CREATE TRIGGER "scheduled_emails_identity"
BEFORE UPDATE OF "id", "workspace_id", "kind", "idempotency_key", "campaign_id", "campaign_prospect_id", "prospect_id", "sequence_id", "step_number"
ON "scheduled_emails" FOR EACH ROW
WHEN ((OLD.id, OLD.workspace_id, OLD.kind, OLD.idempotency_key, OLD.campaign_id, OLD.campaign_prospect_id, OLD.prospect_id, OLD.sequence_id, OLD.step_number)
  IS DISTINCT FROM
  (NEW.id, NEW.workspace_id, NEW.kind, NEW.idempotency_key, NEW.campaign_id, NEW.campaign_prospect_id, NEW.prospect_id, NEW.sequence_id, NEW.step_number))
EXECUTE FUNCTION refuse_change('who an email is for never changes');

-- Tokens are the fence: a lease is never given out twice, a mark is never taken back, and nothing that a provider is
-- known to have accepted is marked again.
CREATE TRIGGER "scheduled_emails_fence"
BEFORE UPDATE OF "lease_token", "marked_token", "accepted_token" ON "scheduled_emails" FOR EACH ROW
WHEN (NEW.lease_token < OLD.lease_token
  OR (OLD.marked_token IS NOT NULL AND (NEW.marked_token IS NULL OR NEW.marked_token < OLD.marked_token))
  OR (OLD.accepted_token IS NOT NULL AND (NEW.accepted_token IS DISTINCT FROM OLD.accepted_token OR NEW.marked_token IS DISTINCT FROM OLD.marked_token)))
EXECUTE FUNCTION refuse_change('tokens only rise, and an accepted email is not marked again');

-- A key that may have reached somebody outlives everything.
CREATE FUNCTION refuse_delete_of_marked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.marked_token IS NOT NULL OR OLD.status = 'SENDING' OR EXISTS (SELECT FROM email_attempts WHERE email_id = OLD.id) THEN
    RAISE EXCEPTION 'an email that was attempted is never deleted: its key must not be free again'
      USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN OLD;
END $$;

CREATE FUNCTION refuse_truncate_of_marked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM scheduled_emails WHERE marked_token IS NOT NULL OR status = 'SENDING') OR EXISTS (SELECT FROM email_attempts) THEN
    RAISE EXCEPTION 'the queue holds emails that were attempted: their keys must not be free again'
      USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "scheduled_emails_keep" BEFORE DELETE ON "scheduled_emails" FOR EACH ROW EXECUTE FUNCTION refuse_delete_of_marked();
CREATE TRIGGER "scheduled_emails_keep_all" BEFORE TRUNCATE ON "scheduled_emails" EXECUTE FUNCTION refuse_truncate_of_marked();

-- Columns belong to states.
ALTER TABLE "scheduled_emails"
  ADD CONSTRAINT "scheduled_emails_sent_check" CHECK ((status = 'SENT') = (sent_at IS NOT NULL)),
  ADD CONSTRAINT "scheduled_emails_lease_check" CHECK (CASE WHEN status = 'SENDING'
    THEN lease_until IS NOT NULL AND leased_by IS NOT NULL AND leased_at IS NOT NULL AND lease_token > 0
    ELSE lease_until IS NULL AND leased_by IS NULL AND leased_at IS NULL END),
  ADD CONSTRAINT "scheduled_emails_retry_check" CHECK (CASE status
    WHEN 'RETRY_SCHEDULED' THEN next_retry_at IS NOT NULL
    WHEN 'SENDING' THEN true -- where it came from: a release takes it back there
    ELSE next_retry_at IS NULL END),
  ADD CONSTRAINT "scheduled_emails_unmarked_check" CHECK (status <> 'SCHEDULED' OR marked_token IS NULL),
  ADD CONSTRAINT "scheduled_emails_unknown_check" CHECK (status <> 'OUTCOME_UNKNOWN' OR (marked_token IS NOT NULL AND marked_token = lease_token)),
  ADD CONSTRAINT "scheduled_emails_cancelled_check" CHECK ((status = 'CANCELLED') = (cancelled_at IS NOT NULL) AND (status = 'CANCELLED') = (cancel_reason IS NOT NULL)),
  ADD CONSTRAINT "scheduled_emails_dismissed_check" CHECK (dismissed_at IS NULL OR status = 'PERMANENTLY_FAILED'),
  ADD CONSTRAINT "scheduled_emails_tokens_check" CHECK (lease_token >= 0 AND attempts >= 0
    AND (marked_token IS NULL) = (submit_started_at IS NULL)
    AND (marked_token IS NULL OR marked_token BETWEEN 1 AND lease_token)
    AND (accepted_token IS NULL OR (marked_token IS NOT NULL AND accepted_token BETWEEN 1 AND marked_token))),
  ADD CONSTRAINT "scheduled_emails_kind_check" CHECK (CASE kind
    WHEN 'CAMPAIGN' THEN campaign_id IS NOT NULL AND campaign_prospect_id IS NOT NULL AND prospect_id IS NOT NULL
      AND sequence_id IS NOT NULL AND step_number IS NOT NULL AND step_number >= 1
      AND idempotency_key = prospect_id || ':' || sequence_id || ':' || step_number
    WHEN 'TRANSACTIONAL' THEN campaign_id IS NULL AND campaign_prospect_id IS NULL AND prospect_id IS NULL
      AND sequence_id IS NULL AND step_number IS NULL
      AND starts_with(idempotency_key, 'tx:' || workspace_id || ':') AND substr(idempotency_key, 41) ~ '^[0-9a-f]{64}$'
    ELSE false END);

-- The history is append-only. What was learned later about an attempt that ended UNKNOWN may be added, once.
CREATE TRIGGER "email_attempts_append_only" BEFORE UPDATE ON "email_attempts" FOR EACH ROW
WHEN (OLD.evidence IS NOT NULL
  OR (OLD.email_id, OLD.lease_token, OLD.workspace_id, OLD.number, OLD.worker, OLD.started_at, OLD.marked_at, OLD.ended_at, OLD.outcome,
      OLD.error_class, OLD.error_code, OLD.provider_text, OLD.receipt)
    IS DISTINCT FROM
    (NEW.email_id, NEW.lease_token, NEW.workspace_id, NEW.number, NEW.worker, NEW.started_at, NEW.marked_at, NEW.ended_at, NEW.outcome,
      NEW.error_class, NEW.error_code, NEW.provider_text, NEW.receipt)
  OR (NEW.evidence IS NULL AND (OLD.message_id, OLD.thread_id) IS DISTINCT FROM (NEW.message_id, NEW.thread_id)))
EXECUTE FUNCTION refuse_change('an attempt that ended does not change');
CREATE TRIGGER "email_attempts_keep" BEFORE DELETE ON "email_attempts" FOR EACH ROW EXECUTE FUNCTION refuse_change('attempts are never deleted');
CREATE TRIGGER "email_attempts_keep_all" BEFORE TRUNCATE ON "email_attempts" EXECUTE FUNCTION refuse_change('attempts are never deleted');
ALTER TABLE "email_attempts"
  ADD CONSTRAINT "email_attempts_number_check" CHECK (number >= 1 AND lease_token >= 1),
  ADD CONSTRAINT "email_attempts_mark_check" CHECK (CASE outcome
    WHEN 'ACCEPTED' THEN marked_at IS NOT NULL WHEN 'UNKNOWN' THEN marked_at IS NOT NULL WHEN 'RELEASED' THEN marked_at IS NULL ELSE true END),
  ADD CONSTRAINT "email_attempts_evidence_check" CHECK (
    CASE WHEN evidence IS NULL THEN evidence_at IS NULL AND evidence_text IS NULL
    ELSE evidence_at IS NOT NULL AND outcome = 'UNKNOWN' AND evidence IN ('ACCEPTED', 'RETRY', 'REJECTED') END);

CREATE TRIGGER "email_events_append_only" BEFORE UPDATE OR DELETE ON "email_events" FOR EACH ROW EXECUTE FUNCTION refuse_change('the history is only appended to');
CREATE TRIGGER "email_events_keep_all" BEFORE TRUNCATE ON "email_events" EXECUTE FUNCTION refuse_change('the history is only appended to');

-- An event for each arrow that no attempt tells. A claim and its end are told by the attempt: the ends that it does not
-- tell in full (cancelled while held; the verdict after a failure) are events as well. The reason travels on the row, in
-- the statement that moves it, so that a set of rows can have a reason each.
CREATE FUNCTION record_email_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO email_events (email_id, from_status, to_status, reason) VALUES (NEW.id, OLD.status, NEW.status,
    CASE WHEN NEW.status = 'CANCELLED' THEN NEW.cancel_reason WHEN OLD.status = 'FAILED' THEN NEW.last_error_code ELSE NEW.status_reason END);
  RETURN NULL;
END $$;

CREATE TRIGGER "scheduled_emails_event" AFTER UPDATE OF "status" ON "scheduled_emails" FOR EACH ROW
WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status <> 'SENDING' AND (OLD.status <> 'SENDING' OR NEW.status = 'CANCELLED'))
EXECUTE FUNCTION record_email_event();

-- claim: what is due at a mailbox, oldest first. Parked rows and those whose predecessor is not yet sent are not in it.
CREATE INDEX "scheduled_emails_due_idx" ON "scheduled_emails" ("mailbox_id", "ready_at")
  WHERE status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at IS NOT NULL;

-- recover: leases that ran out. As short as the list of emails in flight.
CREATE INDEX "scheduled_emails_lease_idx" ON "scheduled_emails" ("lease_until") WHERE status = 'SENDING';

-- The queue page's tabs and the dashboard's counts of what a person must look at: unknown, and failed for good.
CREATE INDEX "scheduled_emails_attention_idx" ON "scheduled_emails" ("workspace_id", "status", "id")
  WHERE status IN ('OUTCOME_UNKNOWN', 'PERMANENTLY_FAILED') AND dismissed_at IS NULL;

-- Re-planning: what waits at a mailbox under an older version of the plan.
CREATE INDEX "scheduled_emails_replan_idx" ON "scheduled_emails" ("mailbox_id", "plan_version")
  WHERE status IN ('SCHEDULED', 'RETRY_SCHEDULED');

-- Room on each page for the next version of a row: the mark, which changes no indexed column, then stays on its page and
-- writes to no index.
ALTER TABLE "scheduled_emails" SET (fillfactor = 75);
