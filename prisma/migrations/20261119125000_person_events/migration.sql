CREATE TYPE "person_event_type" AS ENUM ('SENT', 'FAILED', 'BOUNCED', 'REPLIED', 'OPENED', 'CLICKED', 'UNSUBSCRIBED', 'CUSTOM');

CREATE TABLE "person_events" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" UUID NOT NULL,
    "prospect_id" UUID NOT NULL,
    "type" "person_event_type" NOT NULL,
    "name" TEXT,
    "email_id" UUID,
    "campaign_id" UUID,
    "sequence_id" UUID,
    "step_number" INTEGER,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "dedupe_key" TEXT NOT NULL,
    "data" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "person_events_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "person_events_name_check" CHECK (("type" = 'CUSTOM') = ("name" IS NOT NULL) AND "name" ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$'),
    CONSTRAINT "person_events_step_check" CHECK (("sequence_id" IS NULL) = ("step_number" IS NULL)
      AND ("sequence_id" IS NULL OR ("campaign_id" IS NOT NULL AND "email_id" IS NOT NULL))),
    CONSTRAINT "person_events_email_check" CHECK ("email_id" IS NOT NULL OR "type" NOT IN ('SENT', 'FAILED', 'OPENED', 'CLICKED')),
    CONSTRAINT "person_events_bounds_check" CHECK (length("dedupe_key") <= 200 AND jsonb_typeof("data") = 'object' AND pg_column_size("data") <= 16384)
);

-- No foreign keys: each would lock the row of its person in the transaction that settles an email. People, campaigns and
-- emails are never deleted.
CREATE UNIQUE INDEX "person_events_workspace_id_dedupe_key_key" ON "person_events"("workspace_id", "dedupe_key");
CREATE INDEX "person_events_workspace_id_prospect_id_id_idx" ON "person_events"("workspace_id", "prospect_id", "id");

-- Appended once. The one change there is takes away what is personal, when the person is erased.
CREATE TRIGGER "person_events_append_only" BEFORE UPDATE ON "person_events" FOR EACH ROW
WHEN ((OLD.id, OLD.workspace_id, OLD.prospect_id, OLD.type, OLD.email_id, OLD.campaign_id, OLD.sequence_id, OLD.step_number,
    OLD.occurred_at, OLD.recorded_at, OLD.dedupe_key)
  IS DISTINCT FROM (NEW.id, NEW.workspace_id, NEW.prospect_id, NEW.type, NEW.email_id, NEW.campaign_id, NEW.sequence_id, NEW.step_number,
    NEW.occurred_at, NEW.recorded_at, NEW.dedupe_key)
  OR NEW.data <> '{}' OR (NEW.name IS DISTINCT FROM OLD.name AND NEW.name IS DISTINCT FROM 'erased'))
EXECUTE FUNCTION refuse_change('events are only appended to');
CREATE TRIGGER "person_events_keep" BEFORE DELETE ON "person_events" FOR EACH ROW EXECUTE FUNCTION refuse_change('events are never deleted');
CREATE TRIGGER "person_events_keep_all" BEFORE TRUNCATE ON "person_events" EXECUTE FUNCTION refuse_change('events are never deleted');
