-- Dismissed unknowns by when they were dismissed, and no longer by when they were marked: no index knows a column that a mark
-- sets, so a mark changes its row in place and touches none of the sixteen.
DROP INDEX "scheduled_emails_dismissed_idx";
CREATE INDEX "scheduled_emails_dismissed_idx" ON "scheduled_emails" ("mailbox_id", "cancelled_at") WHERE cancel_reason = 'DISMISSED';
