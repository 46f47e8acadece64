CREATE TYPE "journey_state" AS ENUM ('PLAN', 'EMAIL', 'MOVING', 'WAITING', 'BRANCH', 'ENDED');
CREATE TYPE "wait_outcome" AS ENUM ('EVENT', 'TIMEOUT', 'LEFT');

-- The order of a sequence that branches. Empty for one that is its steps, one after the other.
ALTER TABLE "sequences" ADD COLUMN "graph" JSONB, ADD COLUMN "graph_version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "sequence_versions" ADD COLUMN "graph" JSONB;

CREATE TABLE "sequence_graphs" (
    "sequence_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "graph" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "sequence_graphs_pkey" PRIMARY KEY ("sequence_id", "version")
);
ALTER TABLE "sequence_graphs" ADD CONSTRAINT "sequence_graphs_sequence_id_fkey" FOREIGN KEY ("sequence_id") REFERENCES "sequences"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
-- Those who are on their way through a version go on through it.
CREATE TRIGGER "sequence_graphs_keep" BEFORE UPDATE OR DELETE ON "sequence_graphs" FOR EACH ROW EXECUTE FUNCTION refuse_change('a version of a graph never changes');
CREATE TRIGGER "sequence_graphs_keep_all" BEFORE TRUNCATE ON "sequence_graphs" EXECUTE FUNCTION refuse_change('a version of a graph never changes');

CREATE TABLE "journeys" (
    "enrolment_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "prospect_id" UUID NOT NULL,
    "sequence_id" UUID NOT NULL,
    "graph_version" INTEGER NOT NULL,
    "state" "journey_state" NOT NULL,
    "node_id" TEXT,
    "round" INTEGER NOT NULL DEFAULT 1,
    "last_step" INTEGER,
    "anchor_email_id" UUID,
    "anchored_at" TIMESTAMPTZ(3),
    "arrived_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "ended_reason" TEXT,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "journeys_pkey" PRIMARY KEY ("enrolment_id"),
    CONSTRAINT "journeys_node_check" CHECK ("node_id" IS NOT NULL OR "state" = 'ENDED'),
    CONSTRAINT "journeys_step_check" CHECK ("state" <> 'EMAIL' OR "last_step" IS NOT NULL),
    CONSTRAINT "journeys_anchor_check" CHECK (("anchor_email_id" IS NULL) = ("anchored_at" IS NULL)),
    CONSTRAINT "journeys_end_check" CHECK (("state" = 'ENDED') = ("ended_at" IS NOT NULL) AND ("state" = 'ENDED') = ("ended_reason" IS NOT NULL)),
    CONSTRAINT "journeys_round_check" CHECK ("round" >= 1)
);

CREATE TABLE "journey_waits" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "workspace_id" UUID NOT NULL,
    "enrolment_id" UUID NOT NULL,
    "prospect_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "round" INTEGER NOT NULL,
    "anchor_email_id" UUID NOT NULL,
    "anchored_at" TIMESTAMPTZ(3) NOT NULL,
    "deadline" TIMESTAMPTZ(3) NOT NULL,
    "held_ms_before" BIGINT NOT NULL DEFAULT 0,
    "event_type" "person_event_type" NOT NULL,
    "event_name" TEXT,
    "on_event" TEXT,
    "on_timeout" TEXT,
    "outcome" "wait_outcome",
    "outcome_at" TIMESTAMPTZ(3),
    "event_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "journey_waits_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "journey_waits_outcome_check" CHECK (("outcome" IS NULL) = ("outcome_at" IS NULL) AND ("event_id" IS NULL OR "outcome" = 'EVENT')),
    CONSTRAINT "journey_waits_name_check" CHECK (("event_type" = 'CUSTOM') = ("event_name" IS NOT NULL))
);

CREATE TABLE "journey_steps" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" UUID NOT NULL,
    "enrolment_id" UUID NOT NULL,
    "node_id" TEXT NOT NULL,
    "round" INTEGER NOT NULL,
    "what" TEXT NOT NULL,
    "note" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "journey_steps_pkey" PRIMARY KEY ("id")
);

-- Never reused: a node is come to once in each round.
CREATE UNIQUE INDEX "journey_waits_enrolment_id_node_id_round_key" ON "journey_waits"("enrolment_id", "node_id", "round");
CREATE INDEX "journey_steps_enrolment_id_id_idx" ON "journey_steps"("enrolment_id", "id");
CREATE INDEX "journeys_prospect_id_idx" ON "journeys"("prospect_id");
CREATE INDEX "journeys_campaign_id_state_enrolment_id_idx" ON "journeys"("campaign_id", "state", "enrolment_id");
ALTER TABLE "journeys" ADD CONSTRAINT "journeys_enrolment_id_fkey" FOREIGN KEY ("enrolment_id") REFERENCES "campaign_prospects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "journey_waits" ADD CONSTRAINT "journey_waits_enrolment_id_fkey" FOREIGN KEY ("enrolment_id") REFERENCES "journeys"("enrolment_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Nobody waits in two places.
CREATE UNIQUE INDEX "journey_waits_open_key" ON "journey_waits" ("enrolment_id") WHERE "outcome" IS NULL;
-- Whom there is anything left to plan for.
CREATE INDEX "journeys_plan_idx" ON "journeys" ("campaign_id", "enrolment_id") WHERE "state" = 'PLAN';
-- Whom an event may mean anything to.
CREATE INDEX "journeys_open_idx" ON "journeys" ("prospect_id") WHERE "state" <> 'ENDED';

-- One outcome for each wait, and none is taken back.
CREATE TRIGGER "journey_waits_once" BEFORE UPDATE ON "journey_waits" FOR EACH ROW
WHEN (OLD.outcome IS NOT NULL
  OR (OLD.id, OLD.workspace_id, OLD.enrolment_id, OLD.prospect_id, OLD.node_id, OLD.round, OLD.anchor_email_id, OLD.anchored_at, OLD.deadline,
      OLD.held_ms_before, OLD.event_type, OLD.event_name, OLD.on_event, OLD.on_timeout)
    IS DISTINCT FROM (NEW.id, NEW.workspace_id, NEW.enrolment_id, NEW.prospect_id, NEW.node_id, NEW.round, NEW.anchor_email_id, NEW.anchored_at, NEW.deadline,
      NEW.held_ms_before, NEW.event_type, NEW.event_name, NEW.on_event, NEW.on_timeout))
EXECUTE FUNCTION refuse_change('a wait is decided once');
CREATE TRIGGER "journey_waits_keep" BEFORE DELETE ON "journey_waits" FOR EACH ROW EXECUTE FUNCTION refuse_change('a wait is never deleted: its key must not be free again');
CREATE TRIGGER "journey_waits_keep_all" BEFORE TRUNCATE ON "journey_waits" EXECUTE FUNCTION refuse_change('a wait is never deleted: its key must not be free again');
CREATE TRIGGER "journey_steps_append_only" BEFORE UPDATE OR DELETE ON "journey_steps" FOR EACH ROW EXECUTE FUNCTION refuse_change('the way of a person is only appended to');
CREATE TRIGGER "journey_steps_keep_all" BEFORE TRUNCATE ON "journey_steps" EXECUTE FUNCTION refuse_change('the way of a person is only appended to');
-- Who goes through which version never changes.
CREATE TRIGGER "journeys_identity" BEFORE UPDATE OF "enrolment_id", "workspace_id", "campaign_id", "prospect_id", "sequence_id", "graph_version", "round" ON "journeys" FOR EACH ROW
WHEN ((OLD.enrolment_id, OLD.workspace_id, OLD.campaign_id, OLD.prospect_id, OLD.sequence_id, OLD.graph_version)
  IS DISTINCT FROM (NEW.enrolment_id, NEW.workspace_id, NEW.campaign_id, NEW.prospect_id, NEW.sequence_id, NEW.graph_version) OR NEW.round < OLD.round)
EXECUTE FUNCTION refuse_change('who goes through which version never changes');

-- The last email of a run of a sequence that branches: when it is sent, its person moves on. Of a linear sequence none is.
ALTER TABLE "scheduled_emails" ADD COLUMN "moves_on" BOOLEAN NOT NULL DEFAULT false;

-- In the transaction that makes it SENT, whoever does it: neither is there without the other.
CREATE FUNCTION move_on_after_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH moving AS (
    UPDATE journeys SET state = 'MOVING', anchor_email_id = NEW.id, anchored_at = NEW.sent_at, arrived_at = NEW.sent_at
    WHERE enrolment_id = NEW.campaign_prospect_id AND state = 'EMAIL' AND last_step = NEW.step_number RETURNING *)
  INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id, node_id, round)
  SELECT workspace_id, 'MOVE_ON', 'move:' || enrolment_id || ':' || node_id || ':' || round, app_now(), campaign_id, enrolment_id, prospect_id, node_id, round
  FROM moving ON CONFLICT (workspace_id, dedupe_key) DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER "scheduled_emails_move_on" AFTER UPDATE OF "status" ON "scheduled_emails" FOR EACH ROW
WHEN (NEW.moves_on AND NEW.status = 'SENT' AND OLD.status <> 'SENT')
EXECUTE FUNCTION move_on_after_email();

-- A person took the cancellation of that email back: its person is on the way again, in a round of its own.
CREATE FUNCTION take_up_journey() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE journeys SET state = 'EMAIL', round = round + 1, ended_at = NULL, ended_reason = NULL
  WHERE enrolment_id = NEW.campaign_prospect_id AND state = 'ENDED' AND last_step = NEW.step_number AND anchor_email_id IS DISTINCT FROM NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER "scheduled_emails_take_up" AFTER UPDATE OF "status" ON "scheduled_emails" FOR EACH ROW
WHEN (NEW.moves_on AND OLD.status = 'CANCELLED' AND NEW.status = 'SCHEDULED')
EXECUTE FUNCTION take_up_journey();

-- Whoever appends an event for a person who is on their way asks for a look: it runs once both are committed, and sees both,
-- so that neither an event before its wait nor a wait before its event is missed.
CREATE FUNCTION look_at_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id)
  SELECT j.workspace_id, 'LOOK', 'look:' || j.enrolment_id || ':' || e.id, app_now(), j.campaign_id, j.enrolment_id, j.prospect_id
  FROM appended e JOIN journeys j ON j.prospect_id = e.prospect_id AND j.state <> 'ENDED' AND j.workspace_id = e.workspace_id
  WHERE e.type NOT IN ('SENT', 'FAILED')
  ORDER BY 3 ON CONFLICT (workspace_id, dedupe_key) DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER "person_events_look" AFTER INSERT ON "person_events" REFERENCING NEW TABLE AS appended
FOR EACH STATEMENT EXECUTE FUNCTION look_at_events();

-- The sweep for what should exist and does not goes through those who are on the way, a stretch at a time.
CREATE INDEX "journeys_sweep_idx" ON "journeys" ("enrolment_id") WHERE "state" <> 'ENDED';
