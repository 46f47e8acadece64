-- What went wrong with an action may name its person: it goes when they are erased. All else of an attempt stays as it was.
DROP TRIGGER "action_attempts_append_only" ON "action_attempts";

CREATE FUNCTION keep_action_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.error IS NULL
    AND (OLD.action_id, OLD.lease_token, OLD.worker, OLD.started_at, OLD.ended_at, OLD.outcome)
      IS NOT DISTINCT FROM (NEW.action_id, NEW.lease_token, NEW.worker, NEW.started_at, NEW.ended_at, NEW.outcome)
    AND EXISTS (SELECT FROM scheduled_actions a JOIN prospects p ON p.id = a.prospect_id WHERE a.id = OLD.action_id AND p.erased_at IS NOT NULL)
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'action_attempts: attempts are only appended to'
    USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER "action_attempts_append_only" BEFORE UPDATE OR DELETE ON "action_attempts" FOR EACH ROW EXECUTE FUNCTION keep_action_attempt();
