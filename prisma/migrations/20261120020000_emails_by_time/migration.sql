-- A campaign's days as before, and within a day its emails in the order of their times, so that a page is read from where it
-- begins however many a day carries. In place of the index by days alone; transactional emails are no longer in it.
DROP INDEX "scheduled_emails_campaign_id_status_local_date_idx";
CREATE INDEX "scheduled_emails_campaign_id_status_time_idx" ON "scheduled_emails"
  ("campaign_id", "status", "local_date", (coalesce("sent_at", "next_retry_at", "scheduled_for")), "id")
  WHERE "campaign_id" IS NOT NULL;
