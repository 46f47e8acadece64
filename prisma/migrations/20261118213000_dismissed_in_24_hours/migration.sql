-- The rolling 24 hours: an unknown email that was dismissed may have been sent, so it counts. As short as the list of those.
CREATE INDEX "scheduled_emails_dismissed_idx" ON "scheduled_emails" ("mailbox_id", "submit_started_at") WHERE cancel_reason = 'DISMISSED';
