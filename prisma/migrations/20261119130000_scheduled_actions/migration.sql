CREATE TYPE "action_type" AS ENUM ('START_CAMPAIGN', 'END_CAMPAIGN', 'MOVE_ON', 'WAIT', 'TIMEOUT', 'LOOK', 'ENROL', 'REMIND', 'CANCEL');
CREATE TYPE "action_status" AS ENUM ('PENDING', 'RUNNING', 'HELD', 'COMPLETED', 'CANCELLED', 'DEAD');
CREATE TYPE "action_outcome" AS ENUM ('COMPLETED', 'FAILED', 'LOST', 'PUT_OFF', 'CANCELLED');

-- By its moment, then by chance: what is listed newest first is listed by its id, whoever makes it.
CREATE FUNCTION time_ordered_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT overlay(replace(gen_random_uuid()::text, '-', '')
    PLACING lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') FROM 1 FOR 12)::uuid
$$;

CREATE TABLE "scheduled_actions" (
    "id" UUID NOT NULL DEFAULT time_ordered_id(),
    "workspace_id" UUID NOT NULL,
    "type" "action_type" NOT NULL,
    "dedupe_key" TEXT NOT NULL,
    "status" "action_status" NOT NULL DEFAULT 'PENDING',
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "campaign_id" UUID,
    "enrolment_id" UUID,
    "prospect_id" UUID,
    "node_id" TEXT,
    "round" INTEGER NOT NULL DEFAULT 1,
    "held_ms_before" BIGINT NOT NULL DEFAULT 0,
    "payload" JSONB NOT NULL DEFAULT '{}',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "lease_token" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "leased_by" TEXT,
    "leased_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "reason" TEXT,
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "scheduled_actions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "scheduled_actions_lease_check" CHECK (CASE WHEN "status" = 'RUNNING'
      THEN "lease_until" IS NOT NULL AND "leased_by" IS NOT NULL AND "leased_at" IS NOT NULL AND "lease_token" > 0
      ELSE "lease_until" IS NULL AND "leased_by" IS NULL AND "leased_at" IS NULL END),
    CONSTRAINT "scheduled_actions_end_check" CHECK (("status" IN ('COMPLETED', 'CANCELLED', 'DEAD')) = ("ended_at" IS NOT NULL)
      AND ("status" NOT IN ('CANCELLED', 'DEAD') OR "reason" IS NOT NULL)),
    CONSTRAINT "scheduled_actions_counts_check" CHECK ("attempts" >= 0 AND "lease_token" >= 0 AND "round" >= 1),
    CONSTRAINT "scheduled_actions_subject_check" CHECK (CASE WHEN "type" IN ('START_CAMPAIGN', 'END_CAMPAIGN')
      THEN "campaign_id" IS NOT NULL AND "enrolment_id" IS NULL
      ELSE "campaign_id" IS NOT NULL AND "enrolment_id" IS NOT NULL AND "prospect_id" IS NOT NULL END),
    CONSTRAINT "scheduled_actions_key_check" CHECK (length("dedupe_key") BETWEEN 1 AND 200)
);

CREATE TABLE "action_attempts" (
    "action_id" UUID NOT NULL,
    "lease_token" INTEGER NOT NULL,
    "worker" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "outcome" "action_outcome" NOT NULL,
    "error" TEXT,

    CONSTRAINT "action_attempts_pkey" PRIMARY KEY ("action_id", "lease_token")
);

-- What was done since the beginning, in sixteen parts, so that workers do not wait for each other's.
CREATE TABLE "action_counts" (
    "type" "action_type" NOT NULL,
    "what" TEXT NOT NULL,
    "part" INTEGER NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "action_counts_pkey" PRIMARY KEY ("type", "what", "part")
);

CREATE UNIQUE INDEX "scheduled_actions_workspace_id_dedupe_key_key" ON "scheduled_actions"("workspace_id", "dedupe_key");
CREATE INDEX "scheduled_actions_workspace_id_id_idx" ON "scheduled_actions"("workspace_id", "id");
CREATE INDEX "scheduled_actions_workspace_id_status_id_idx" ON "scheduled_actions"("workspace_id", "status", "id");
CREATE INDEX "scheduled_actions_enrolment_id_idx" ON "scheduled_actions"("enrolment_id");
ALTER TABLE "scheduled_actions" ADD CONSTRAINT "scheduled_actions_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "action_attempts" ADD CONSTRAINT "action_attempts_action_id_fkey" FOREIGN KEY ("action_id") REFERENCES "scheduled_actions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What is due, by type: whether there is anything, when the next is, what the metrics count, and the claim of campaigns'.
CREATE INDEX "scheduled_actions_due_idx" ON "scheduled_actions" ("type", "due_at") WHERE "status" = 'PENDING';
-- The claim of people's, fairly among workspaces.
CREATE INDEX "scheduled_actions_people_idx" ON "scheduled_actions" ("workspace_id", "due_at") WHERE "status" = 'PENDING' AND "enrolment_id" IS NOT NULL;
CREATE INDEX "scheduled_actions_lease_idx" ON "scheduled_actions" ("lease_until") WHERE "status" = 'RUNNING';
-- What is left of a campaign: its start and end; what a pause holds.
CREATE INDEX "scheduled_actions_campaign_idx" ON "scheduled_actions" ("campaign_id", "type", "id") WHERE "status" IN ('PENDING', 'RUNNING', 'HELD', 'DEAD');
CREATE INDEX "scheduled_actions_held_idx" ON "scheduled_actions" ("campaign_id") WHERE "status" = 'HELD';

-- Each change of a row makes a new version of it, and little else is done with them: they are cleared away early.
ALTER TABLE "scheduled_actions" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- src/lib/actions/states.ts said to Postgres; states-agreement.test.ts compares the two arrow by arrow.
CREATE FUNCTION refuse_action_arrow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an action that is % cannot become %', OLD.status, NEW.status
    USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER "scheduled_actions_arrow" BEFORE UPDATE OF "status" ON "scheduled_actions" FOR EACH ROW
WHEN (OLD.status IS DISTINCT FROM NEW.status AND NOT CASE OLD.status
  WHEN 'PENDING' THEN NEW.status IN ('RUNNING', 'CANCELLED')
  WHEN 'RUNNING' THEN NEW.status IN ('COMPLETED', 'PENDING', 'HELD', 'DEAD', 'CANCELLED')
  WHEN 'HELD' THEN NEW.status IN ('PENDING', 'CANCELLED')
  WHEN 'DEAD' THEN NEW.status IN ('PENDING', 'CANCELLED')
  ELSE false -- COMPLETED and CANCELLED are final
END)
EXECUTE FUNCTION refuse_action_arrow();

-- What an action is for never changes, its lease is never given out twice, and its key is never free again.
CREATE TRIGGER "scheduled_actions_identity"
BEFORE UPDATE OF "id", "workspace_id", "type", "dedupe_key", "campaign_id", "enrolment_id", "prospect_id", "node_id", "round", "lease_token"
ON "scheduled_actions" FOR EACH ROW
WHEN ((OLD.id, OLD.workspace_id, OLD.type, OLD.dedupe_key, OLD.campaign_id, OLD.enrolment_id, OLD.prospect_id, OLD.node_id, OLD.round)
  IS DISTINCT FROM (NEW.id, NEW.workspace_id, NEW.type, NEW.dedupe_key, NEW.campaign_id, NEW.enrolment_id, NEW.prospect_id, NEW.node_id, NEW.round)
  OR NEW.lease_token < OLD.lease_token)
EXECUTE FUNCTION refuse_change('what an action is for never changes, and tokens only rise');
CREATE TRIGGER "scheduled_actions_keep" BEFORE DELETE ON "scheduled_actions" FOR EACH ROW EXECUTE FUNCTION refuse_change('an action is never deleted: its key must not be free again');
CREATE TRIGGER "scheduled_actions_keep_all" BEFORE TRUNCATE ON "scheduled_actions" EXECUTE FUNCTION refuse_change('an action is never deleted: its key must not be free again');
CREATE TRIGGER "action_attempts_append_only" BEFORE UPDATE OR DELETE ON "action_attempts" FOR EACH ROW EXECUTE FUNCTION refuse_change('attempts are only appended to');
CREATE TRIGGER "action_attempts_keep_all" BEFORE TRUNCATE ON "action_attempts" EXECUTE FUNCTION refuse_change('attempts are only appended to');

-- A campaign's end, and whether a pause holds the clock of those who wait in it: for how long it has so far, and since when
-- it does now.
ALTER TABLE "campaigns" ADD COLUMN "ends_at" TIMESTAMPTZ(3),
ADD COLUMN "pause_holds_clock" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN "clock_held_ms" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "clock_held_since" TIMESTAMPTZ(3);
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_clock_check" CHECK ("clock_held_ms" >= 0 AND ("clock_held_since" IS NULL OR "status" IN ('PAUSED', 'STOPPED')));

CREATE INDEX "campaigns_ends_idx" ON "campaigns" ("ends_at") WHERE "ends_at" IS NOT NULL;

-- What waits for its start already.
INSERT INTO "scheduled_actions" ("workspace_id", "type", "dedupe_key", "due_at", "campaign_id")
SELECT "workspace_id", 'START_CAMPAIGN', 'start:' || "id" || ':' || "version", "scheduled_at", "id" FROM "campaigns" WHERE "status" = 'SCHEDULED';
