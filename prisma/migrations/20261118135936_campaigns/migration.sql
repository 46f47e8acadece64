-- AlterTable
ALTER TABLE "campaign_prospects" ADD COLUMN     "planned_steps" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "campaigns" ADD COLUMN     "dry_run_at" TIMESTAMPTZ(3),
ADD COLUMN     "finish_cursor" UUID,
ADD COLUMN     "launched_at" TIMESTAMPTZ(3),
ADD COLUMN     "steps_planned" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "sending_settings" ADD COLUMN     "postal_address" TEXT NOT NULL DEFAULT '';

-- What is planned already has all its steps.
UPDATE "campaign_prospects" cp SET "planned_steps" =
  (SELECT count(*) FROM "scheduled_emails" e WHERE e."campaign_prospect_id" = cp."id") WHERE "planned_at" IS NOT NULL;

-- Both ledgers, the sweep for what has finished and the look for what is blocked read this index alone.
CREATE INDEX "campaign_prospects_ledger_idx" ON "campaign_prospects" ("campaign_id", "state", "id", "planned_steps");

-- src/lib/campaigns/life.ts said to Postgres; life-agreement.test.ts compares the two arrow by arrow.
CREATE FUNCTION refuse_campaign_arrow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a campaign that is % cannot become %', OLD.status, NEW.status
    USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER "campaigns_arrow" BEFORE UPDATE OF "status" ON "campaigns" FOR EACH ROW
WHEN (OLD.status IS DISTINCT FROM NEW.status AND NOT CASE OLD.status
  WHEN 'DRAFT' THEN NEW.status IN ('SCHEDULED', 'RUNNING')
  WHEN 'SCHEDULED' THEN NEW.status IN ('RUNNING', 'PAUSED', 'STOPPED')
  WHEN 'RUNNING' THEN NEW.status IN ('PAUSED', 'SENT', 'STOPPED')
  WHEN 'PAUSED' THEN NEW.status IN ('RUNNING', 'SCHEDULED', 'STOPPED')
  WHEN 'SENT' THEN NEW.status = 'RUNNING'
  ELSE false -- STOPPED is final
END)
EXECUTE FUNCTION refuse_campaign_arrow();

CREATE TRIGGER "campaigns_identity" BEFORE UPDATE OF "id", "workspace_id", "sequence_id" ON "campaigns" FOR EACH ROW
WHEN ((OLD.id, OLD.workspace_id) IS DISTINCT FROM (NEW.id, NEW.workspace_id)
  OR (OLD.status <> 'DRAFT' AND OLD.sequence_id IS DISTINCT FROM NEW.sequence_id))
EXECUTE FUNCTION refuse_change('a campaign keeps its sequence once it has left the draft');

ALTER TABLE "campaigns"
  ADD CONSTRAINT "campaigns_scheduled_check" CHECK (status <> 'SCHEDULED' OR scheduled_at IS NOT NULL),
  ADD CONSTRAINT "campaigns_archived_check" CHECK (archived_at IS NULL OR status IN ('DRAFT', 'SENT', 'STOPPED')),
  ADD CONSTRAINT "campaigns_batch_size_check" CHECK (batch_size BETWEEN 1 AND 10000);

-- Keys name steps by their number: once launched, a step is edited or appended, never taken away or renumbered.
CREATE FUNCTION refuse_renumbering() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM sequences WHERE id = OLD.sequence_id AND launched_at IS NOT NULL) THEN
    RAISE EXCEPTION 'a launched sequence keeps its steps and their numbers'
      USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN coalesce(NEW, OLD);
END $$;

CREATE TRIGGER "sequence_steps_keep" BEFORE DELETE ON "sequence_steps" FOR EACH ROW EXECUTE FUNCTION refuse_renumbering();
CREATE TRIGGER "sequence_steps_number" BEFORE UPDATE OF "sequence_id", "step_number" ON "sequence_steps" FOR EACH ROW
WHEN ((OLD.sequence_id, OLD.step_number) IS DISTINCT FROM (NEW.sequence_id, NEW.step_number))
EXECUTE FUNCTION refuse_renumbering();

ALTER TABLE "sequence_steps" ADD CONSTRAINT "sequence_steps_numbers_check" CHECK (step_number >= 1 AND delay_days BETWEEN 0 AND 365);
