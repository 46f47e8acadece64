-- Off unless a person switches it on, campaign by campaign.
ALTER TABLE "campaigns" ADD COLUMN "tracks_opens" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "campaigns" ADD COLUMN "tracks_clicks" BOOLEAN NOT NULL DEFAULT false;

-- Hits that wait a few seconds for a verdict: one row for each email and link, gone once it is an event, or was a machine.
CREATE TABLE "tracking_hits" (
    "email_id" UUID NOT NULL,
    "link" INTEGER NOT NULL,
    "workspace_id" UUID NOT NULL,
    "target" TEXT,
    "hit_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "last_hit_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "tracking_hits_pkey" PRIMARY KEY ("email_id", "link"),
    -- The picture is link 0, and leads nowhere.
    CONSTRAINT "tracking_hits_link_check" CHECK ("link" BETWEEN 0 AND 65535 AND ("link" = 0) = ("target" IS NULL) AND length("target") <= 4000)
);

CREATE INDEX "tracking_hits_hit_at_idx" ON "tracking_hits"("hit_at");

ALTER TABLE "tracking_hits" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
