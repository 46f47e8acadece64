CREATE TYPE "webhook_status" AS ENUM ('ENABLED', 'PAUSED', 'DISABLED');
CREATE TYPE "webhook_delivery_state" AS ENUM ('WAITING', 'DELIVERED', 'FAILED');

CREATE TABLE "webhook_endpoints" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "events" TEXT[],
    "status" "webhook_status" NOT NULL DEFAULT 'ENABLED',
    "disabled_reason" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "held_until" TIMESTAMPTZ(3),
    "last_accepted_at" TIMESTAMPTZ(3),
    "failures_in_row" INTEGER NOT NULL DEFAULT 0,
    "last_served_at" TIMESTAMPTZ(3),
    "removed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_endpoints_events_check" CHECK (cardinality("events") > 0),
    CONSTRAINT "webhook_endpoints_disabled_check" CHECK (("status" = 'DISABLED') = ("disabled_reason" IS NOT NULL)),
    CONSTRAINT "webhook_endpoints_failures_check" CHECK ("failures_in_row" >= 0)
);

CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "seq" BIGSERIAL NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "message_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "data" JSONB NOT NULL,
    "happened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "state" "webhook_delivery_state" NOT NULL DEFAULT 'WAITING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) DEFAULT app_now(),
    "lease_token" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "first_attempt_at" TIMESTAMPTZ(3),
    "last_attempt_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "answer_status" INTEGER,
    "answer_body" TEXT,
    "problem" TEXT,
    "duration_ms" INTEGER,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id"),
    -- Nothing is stuck: what waits has a time, and what has ended none.
    CONSTRAINT "webhook_deliveries_state_check" CHECK (CASE "state"
      WHEN 'WAITING' THEN "due_at" IS NOT NULL AND "ended_at" IS NULL
      ELSE "due_at" IS NULL AND "lease_until" IS NULL AND "ended_at" IS NOT NULL END)
);

CREATE INDEX "webhook_endpoints_workspace_id_id_idx" ON "webhook_endpoints"("workspace_id", "id");
CREATE UNIQUE INDEX "webhook_deliveries_endpoint_id_seq_key" ON "webhook_deliveries"("endpoint_id", "seq");
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What is due of an endpoint, oldest first; where another waits behind an earlier one of the same subject; what is under way.
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries" ("endpoint_id", "due_at", "seq") WHERE "state" = 'WAITING';
CREATE INDEX "webhook_deliveries_order_idx" ON "webhook_deliveries" ("endpoint_id", "subject_id", "seq") WHERE "state" = 'WAITING' AND "attempts" < 2;
CREATE INDEX "webhook_deliveries_lease_idx" ON "webhook_deliveries" ("endpoint_id") WHERE "lease_until" IS NOT NULL;
-- The tab of what failed, newest first.
CREATE INDEX "webhook_deliveries_failed_idx" ON "webhook_deliveries" ("endpoint_id", "seq") WHERE "state" = 'FAILED';

CREATE TRIGGER "webhook_endpoints_version" BEFORE UPDATE OF "updated_at" ON "webhook_endpoints" FOR EACH ROW EXECUTE FUNCTION raise_version();

-- What follows writes down what endpoints are to be told, in the transaction that makes it happen: neither is there without
-- the other, and of one email the events come in the order of its changes, since each holds its row until it commits. The
-- names are those of src/lib/webhooks/event-types.ts; a test compares them. Where no endpoint wants it, one look into a
-- small index is all there is to do. Nothing personal is written: who is told asks by the ids.

CREATE FUNCTION wants_webhook(in_workspace uuid, event text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM webhook_endpoints
    WHERE workspace_id = in_workspace AND event = ANY(events) AND status IN ('ENABLED', 'PAUSED') AND removed_at IS NULL)
$$;

CREATE FUNCTION tell_webhooks(in_workspace uuid, event text, subject uuid, facts jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  message uuid := gen_random_uuid();
BEGIN
  INSERT INTO webhook_deliveries (endpoint_id, workspace_id, message_id, type, subject_id, data)
  SELECT id, workspace_id, message, event, subject, facts FROM webhook_endpoints
  WHERE workspace_id = in_workspace AND event = ANY(events) AND status IN ('ENABLED', 'PAUSED') AND removed_at IS NULL
  ORDER BY id;
END $$;

CREATE FUNCTION as_iso_instant(moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

CREATE FUNCTION tell_of_email() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event text := CASE NEW.status WHEN 'SENT' THEN 'email.sent' WHEN 'RETRY_SCHEDULED' THEN 'email.retrying'
    WHEN 'PERMANENTLY_FAILED' THEN 'email.failed' WHEN 'OUTCOME_UNKNOWN' THEN 'email.unknown'
    WHEN 'CANCELLED' THEN 'email.cancelled' ELSE 'email.restored' END;
BEGIN
  IF wants_webhook(NEW.workspace_id, event) THEN
    PERFORM tell_webhooks(NEW.workspace_id, event, NEW.id, jsonb_build_object(
      'emailId', NEW.id, 'kind', NEW.kind, 'status', NEW.status, 'before', OLD.status, 'mailboxId', NEW.mailbox_id,
      'campaignId', NEW.campaign_id, 'prospectId', NEW.prospect_id, 'sequenceId', NEW.sequence_id, 'stepNumber', NEW.step_number,
      'attempts', NEW.attempts, 'messageId', NEW.message_id, 'sentAt', as_iso_instant(NEW.sent_at),
      'nextRetryAt', as_iso_instant(NEW.next_retry_at),
      'reason', CASE NEW.status WHEN 'SENT' THEN NULL WHEN 'CANCELLED' THEN NEW.cancel_reason ELSE NEW.last_error_code END));
  END IF;
  RETURN NULL;
END $$;

-- A claim and what gives it back unsent are no change that matters to others, and FAILED is passed through.
CREATE TRIGGER "scheduled_emails_tell" AFTER UPDATE OF "status" ON "scheduled_emails" FOR EACH ROW
WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status NOT IN ('SENDING', 'FAILED')
  AND NOT (OLD.status = 'SENDING' AND NEW.status IN ('SCHEDULED', 'RETRY_SCHEDULED')))
EXECUTE FUNCTION tell_of_email();

CREATE FUNCTION tell_of_prospect() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event text;
BEGIN
  FOREACH event IN ARRAY ARRAY[
    CASE WHEN OLD.bounced_at IS NULL AND NEW.bounced_at IS NOT NULL THEN 'prospect.bounced' END,
    CASE WHEN OLD.replied_at IS NULL AND NEW.replied_at IS NOT NULL THEN 'prospect.replied' END,
    CASE WHEN OLD.unsubscribed_at IS NULL AND NEW.unsubscribed_at IS NOT NULL THEN 'prospect.unsubscribed' END] LOOP
    IF event IS NOT NULL AND wants_webhook(NEW.workspace_id, event) THEN
      PERFORM tell_webhooks(NEW.workspace_id, event, NEW.id, jsonb_build_object('prospectId', NEW.id));
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER "prospects_tell" AFTER UPDATE OF "bounced_at", "replied_at", "unsubscribed_at" ON "prospects" FOR EACH ROW
WHEN ((OLD.bounced_at IS NULL AND NEW.bounced_at IS NOT NULL) OR (OLD.replied_at IS NULL AND NEW.replied_at IS NOT NULL)
  OR (OLD.unsubscribed_at IS NULL AND NEW.unsubscribed_at IS NOT NULL))
EXECUTE FUNCTION tell_of_prospect();

CREATE FUNCTION tell_of_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event text := CASE
    WHEN NEW.status = 'SENT' THEN 'campaign.finished'
    WHEN NEW.status = 'STOPPED' THEN 'campaign.stopped'
    WHEN NEW.status = 'PAUSED' THEN 'campaign.paused'
    WHEN OLD.status = 'PAUSED' THEN 'campaign.resumed'
    WHEN OLD.status = 'SENT' THEN 'campaign.reopened'
    WHEN NEW.status = 'SCHEDULED' THEN 'campaign.scheduled'
    ELSE 'campaign.launched' END;
BEGIN
  IF wants_webhook(NEW.workspace_id, event) THEN
    PERFORM tell_webhooks(NEW.workspace_id, event, NEW.id, jsonb_build_object(
      'campaignId', NEW.id, 'name', NEW.name, 'sequenceId', NEW.sequence_id, 'status', NEW.status, 'before', OLD.status,
      'scheduledAt', as_iso_instant(NEW.scheduled_at)));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "campaigns_tell" AFTER UPDATE OF "status" ON "campaigns" FOR EACH ROW
WHEN (OLD.status IS DISTINCT FROM NEW.status)
EXECUTE FUNCTION tell_of_campaign();
