-- A campaign's calendar and the day on which it ends are read from the index alone.
CREATE INDEX "scheduled_emails_campaign_id_status_local_date_idx" ON "scheduled_emails"("campaign_id", "status", "local_date");
-- What blocks a campaign, by guard. Only what is parked is in it, so it costs the others nothing.
CREATE INDEX "scheduled_emails_campaign_blocker_idx" ON "scheduled_emails"("campaign_id", "blocker") WHERE "blocker" IS NOT NULL;
