-- The rolling limit: what a mailbox has handed over in the last 24 hours. Only sent rows are in it, in the order in which they went.
CREATE INDEX "scheduled_emails_sent_idx" ON "scheduled_emails" ("mailbox_id", "sent_at") WHERE status = 'SENT';
