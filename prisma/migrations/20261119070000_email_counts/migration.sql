-- How many emails stand in each cell of what people filter by, so that counts of ten million cost what counts of a hundred do.
-- No key may be empty: NO campaign is a transactional email, NO mailbox is all of them together, '' is no error.
CREATE TABLE "email_counts" (
    "workspace_id" UUID NOT NULL,
    "mailbox_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "local_date" DATE NOT NULL,
    "status" "scheduled_email_status" NOT NULL,
    "is_dismissed" BOOLEAN NOT NULL,
    "error_code" TEXT NOT NULL,
    "emails" INTEGER NOT NULL,

    CONSTRAINT "email_counts_pkey" PRIMARY KEY ("workspace_id","mailbox_id","campaign_id","local_date","status","is_dismissed","error_code")
);

-- What was counted since ticks added up last. Only appended to by who changes emails: nobody waits for anybody.
CREATE TABLE "email_count_changes" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" UUID NOT NULL,
    "mailbox_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "local_date" DATE NOT NULL,
    "status" "scheduled_email_status" NOT NULL,
    "is_dismissed" BOOLEAN NOT NULL,
    "error_code" TEXT NOT NULL,
    "change" INTEGER NOT NULL,

    CONSTRAINT "email_count_changes_pkey" PRIMARY KEY ("id")
);

-- A count is changed in place, and its page has room for that.
ALTER TABLE "email_counts" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "email_count_changes" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- One row for each cell that a statement changes, however many emails it changes. One that changes none of them (a mark)
-- appends nothing.
CREATE FUNCTION count_emails() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO email_count_changes (workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code, change)
    SELECT workspace_id, mailbox_id, coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'), local_date, status,
      dismissed_at IS NOT NULL, coalesce(last_error_code, ''), count(*)
    FROM emails_after GROUP BY 1, 2, 3, 4, 5, 6, 7;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO email_count_changes (workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code, change)
    SELECT workspace_id, mailbox_id, coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'), local_date, status,
      dismissed_at IS NOT NULL, coalesce(last_error_code, ''), -count(*)
    FROM emails_before GROUP BY 1, 2, 3, 4, 5, 6, 7;
  ELSE
    INSERT INTO email_count_changes (workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code, change)
    SELECT workspace_id, mailbox_id, coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'), local_date, status,
      dismissed_at IS NOT NULL, coalesce(last_error_code, ''), sum(change)
    FROM (SELECT workspace_id, mailbox_id, campaign_id, local_date, status, dismissed_at, last_error_code, 1 AS change FROM emails_after
      UNION ALL SELECT workspace_id, mailbox_id, campaign_id, local_date, status, dismissed_at, last_error_code, -1 FROM emails_before) changed
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(change) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "scheduled_emails_count_added" AFTER INSERT ON "scheduled_emails" REFERENCING NEW TABLE AS emails_after
FOR EACH STATEMENT EXECUTE FUNCTION count_emails();
CREATE TRIGGER "scheduled_emails_count_changed" AFTER UPDATE ON "scheduled_emails" REFERENCING OLD TABLE AS emails_before NEW TABLE AS emails_after
FOR EACH STATEMENT EXECUTE FUNCTION count_emails();
CREATE TRIGGER "scheduled_emails_count_removed" AFTER DELETE ON "scheduled_emails" REFERENCING OLD TABLE AS emails_before
FOR EACH STATEMENT EXECUTE FUNCTION count_emails();

-- Counts everything anew: here, and where a count was ever found wrong. Whoever changes emails waits until it is done.
CREATE FUNCTION recount_emails() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE scheduled_emails IN SHARE MODE;
  LOCK TABLE email_counts, email_count_changes IN EXCLUSIVE MODE;
  DELETE FROM email_count_changes;
  DELETE FROM email_counts;
  INSERT INTO email_counts (workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code, emails)
  SELECT workspace_id, CASE WHEN GROUPING(mailbox_id) = 0 THEN mailbox_id ELSE '00000000-0000-0000-0000-000000000000' END,
    campaign_id, local_date, status, is_dismissed, error_code, count(*)
  FROM (SELECT workspace_id, mailbox_id, coalesce(campaign_id, '00000000-0000-0000-0000-000000000000') AS campaign_id, local_date, status,
      dismissed_at IS NOT NULL AS is_dismissed, coalesce(last_error_code, '') AS error_code FROM scheduled_emails) e
  GROUP BY GROUPING SETS ((workspace_id, mailbox_id, campaign_id, local_date, status, is_dismissed, error_code),
    (workspace_id, campaign_id, local_date, status, is_dismissed, error_code));
END $$;

SELECT recount_emails();
