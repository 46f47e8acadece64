-- A branch counts from the email before it, so that what pauses hold counts from there as well, also where the person waited
-- elsewhere first.
ALTER TABLE "journeys" ADD COLUMN "anchor_held_ms" BIGINT NOT NULL DEFAULT 0;
UPDATE "journeys" j SET "anchor_held_ms" = c."clock_held_ms" FROM "campaigns" c WHERE c."id" = j."campaign_id" AND c."clock_held_ms" > 0;

CREATE OR REPLACE FUNCTION move_on_after_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH moving AS (
    UPDATE journeys j SET state = 'MOVING', anchor_email_id = NEW.id, anchored_at = NEW.sent_at, arrived_at = NEW.sent_at,
      anchor_held_ms = c.clock_held_ms + coalesce(round(extract(epoch FROM app_now() - c.clock_held_since) * 1000), 0)
    FROM campaigns c
    WHERE j.enrolment_id = NEW.campaign_prospect_id AND j.state = 'EMAIL' AND j.last_step = NEW.step_number AND c.id = j.campaign_id
    RETURNING j.*)
  INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id, node_id, round)
  SELECT workspace_id, 'MOVE_ON', 'move:' || enrolment_id || ':' || node_id || ':' || round, app_now(), campaign_id, enrolment_id, prospect_id, node_id, round
  FROM moving ON CONFLICT (workspace_id, dedupe_key) DO NOTHING;
  RETURN NULL;
END $$;
