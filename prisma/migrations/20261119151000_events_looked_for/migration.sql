-- What a branch waits for, from the hand-over on: found in a few steps, however many other events a program has told of that
-- person. What is written down for each email is not in it.
CREATE INDEX "person_events_awaited_idx" ON "person_events" ("workspace_id", "prospect_id", "type", (coalesce("name", '')), "occurred_at", "id")
WHERE "type" NOT IN ('SENT', 'FAILED');
