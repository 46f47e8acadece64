-- Late evidence of an acceptance moves an email from PERMANENTLY_FAILED to SENT, as src/lib/email-scheduler/states.ts says.
DROP TRIGGER "scheduled_emails_arrow" ON "scheduled_emails";
CREATE TRIGGER "scheduled_emails_arrow" BEFORE UPDATE OF "status" ON "scheduled_emails" FOR EACH ROW
WHEN (OLD.status IS DISTINCT FROM NEW.status AND NOT CASE OLD.status
  WHEN 'SCHEDULED' THEN NEW.status IN ('SENDING', 'CANCELLED')
  WHEN 'SENDING' THEN NEW.status IN ('SENT', 'FAILED', 'OUTCOME_UNKNOWN', 'SCHEDULED', 'RETRY_SCHEDULED', 'CANCELLED')
  WHEN 'FAILED' THEN NEW.status IN ('RETRY_SCHEDULED', 'PERMANENTLY_FAILED', 'CANCELLED')
  WHEN 'RETRY_SCHEDULED' THEN NEW.status IN ('SENDING', 'SENT', 'CANCELLED')
  WHEN 'OUTCOME_UNKNOWN' THEN NEW.status IN ('SENT', 'RETRY_SCHEDULED', 'CANCELLED')
  WHEN 'PERMANENTLY_FAILED' THEN NEW.status IN ('RETRY_SCHEDULED', 'SENT')
  WHEN 'CANCELLED' THEN NEW.status = 'SENT' OR (NEW.status = 'SCHEDULED' AND OLD.marked_token IS NULL)
  ELSE false -- SENT is final
END)
EXECUTE FUNCTION refuse_arrow();
