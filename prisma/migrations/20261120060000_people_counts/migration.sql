-- How many people a workspace and a list have, and a campaign in each state, so that a count of a million costs what one of
-- ten does. The owner is any of these three; '' is the state of what has none.
CREATE TABLE "people_counts" (
    "owner_id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "people" INTEGER NOT NULL,
    "steps" INTEGER NOT NULL,

    CONSTRAINT "people_counts_pkey" PRIMARY KEY ("owner_id","state")
);

-- What was counted since ticks added up last. Only appended to by who changes people: nobody waits for anybody.
CREATE TABLE "people_count_changes" (
    "id" BIGSERIAL NOT NULL,
    "owner_id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "people" INTEGER NOT NULL,
    "steps" INTEGER NOT NULL,

    CONSTRAINT "people_count_changes_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "people_count_changes_owner_idx" ON "people_count_changes"("owner_id");

ALTER TABLE "people_counts" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "people_count_changes" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- One row for each workspace or list of which a statement adds or removes people, however many. Whom to hide is not told
-- here: those are few, and are found by an index of their own.
CREATE FUNCTION count_people() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'prospects' THEN
    INSERT INTO people_count_changes (owner_id, state, people, steps)
    SELECT workspace_id, '', CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * count(*), 0 FROM people_changed GROUP BY 1;
  ELSE
    INSERT INTO people_count_changes (owner_id, state, people, steps)
    SELECT list_id, '', CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * count(*), 0 FROM people_changed GROUP BY 1;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "prospects_count_added" AFTER INSERT ON "prospects" REFERENCING NEW TABLE AS people_changed
FOR EACH STATEMENT EXECUTE FUNCTION count_people();
CREATE TRIGGER "prospects_count_removed" AFTER DELETE ON "prospects" REFERENCING OLD TABLE AS people_changed
FOR EACH STATEMENT EXECUTE FUNCTION count_people();
CREATE TRIGGER "list_members_count_added" AFTER INSERT ON "list_members" REFERENCING NEW TABLE AS people_changed
FOR EACH STATEMENT EXECUTE FUNCTION count_people();
CREATE TRIGGER "list_members_count_removed" AFTER DELETE ON "list_members" REFERENCING OLD TABLE AS people_changed
FOR EACH STATEMENT EXECUTE FUNCTION count_people();

-- One row for each state of a campaign that a statement changes. One that changes neither state nor steps appends nothing.
CREATE FUNCTION count_enrolments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO people_count_changes (owner_id, state, people, steps)
    SELECT campaign_id, state, count(*), sum(planned_steps) FROM enrolments_after GROUP BY 1, 2;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO people_count_changes (owner_id, state, people, steps)
    SELECT campaign_id, state, -count(*), -sum(planned_steps) FROM enrolments_before GROUP BY 1, 2;
  ELSE
    INSERT INTO people_count_changes (owner_id, state, people, steps)
    SELECT campaign_id, state, sum(people), sum(steps)
    FROM (SELECT campaign_id, state, 1 AS people, planned_steps AS steps FROM enrolments_after
      UNION ALL SELECT campaign_id, state, -1, -planned_steps FROM enrolments_before) changed
    GROUP BY 1, 2 HAVING sum(people) <> 0 OR sum(steps) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "campaign_prospects_count_added" AFTER INSERT ON "campaign_prospects" REFERENCING NEW TABLE AS enrolments_after
FOR EACH STATEMENT EXECUTE FUNCTION count_enrolments();
CREATE TRIGGER "campaign_prospects_count_changed" AFTER UPDATE ON "campaign_prospects" REFERENCING OLD TABLE AS enrolments_before NEW TABLE AS enrolments_after
FOR EACH STATEMENT EXECUTE FUNCTION count_enrolments();
CREATE TRIGGER "campaign_prospects_count_removed" AFTER DELETE ON "campaign_prospects" REFERENCING OLD TABLE AS enrolments_before
FOR EACH STATEMENT EXECUTE FUNCTION count_enrolments();

-- Everything that is counted here, counted one by one.
CREATE VIEW people_as_they_are AS
  SELECT workspace_id AS owner_id, '' AS state, count(*) AS people, 0::bigint AS steps FROM prospects GROUP BY 1
  UNION ALL SELECT list_id, '', count(*), 0 FROM list_members GROUP BY 1
  UNION ALL SELECT campaign_id, state::text, count(*), sum(planned_steps) FROM campaign_prospects GROUP BY 1, 2;

-- Counts everything anew: here, and where a count was ever found wrong. Whoever changes people waits until it is done.
CREATE FUNCTION recount_people() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE prospects, list_members, campaign_prospects IN SHARE MODE;
  LOCK TABLE people_counts, people_count_changes IN EXCLUSIVE MODE;
  DELETE FROM people_count_changes;
  DELETE FROM people_counts;
  INSERT INTO people_counts (owner_id, state, people, steps) SELECT owner_id, state, people, steps FROM people_as_they_are;
END $$;

SELECT recount_people();
