-- CreateEnum
CREATE TYPE "retry_policy" AS ENUM ('STANDARD', 'PATIENT', 'CUSTOM');

-- CreateEnum
CREATE TYPE "mailbox_kind" AS ENUM ('SMTP', 'GMAIL');

-- CreateEnum
CREATE TYPE "mailbox_status" AS ENUM ('CONNECTED', 'STOPPED', 'ARCHIVED');

-- CreateEnum
CREATE TYPE "campaign_status" AS ENUM ('DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED', 'SENT', 'STOPPED');

-- CreateEnum
CREATE TYPE "enrolment_state" AS ENUM ('PENDING', 'BLOCKED', 'SKIPPED', 'ACTIVE', 'FINISHED');

-- CreateEnum
CREATE TYPE "email_kind" AS ENUM ('CAMPAIGN', 'TRANSACTIONAL');

-- CreateEnum
CREATE TYPE "scheduled_email_status" AS ENUM ('SCHEDULED', 'SENDING', 'SENT', 'FAILED', 'RETRY_SCHEDULED', 'OUTCOME_UNKNOWN', 'PERMANENTLY_FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "attempt_outcome" AS ENUM ('ACCEPTED', 'RETRY', 'REJECTED', 'UNKNOWN', 'RELEASED');

-- CreateTable
CREATE TABLE "workspaces" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workspaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sending_settings" (
    "workspace_id" UUID NOT NULL,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "next_time_zone" TEXT,
    "next_time_zone_at" TIMESTAMPTZ(3),
    "sending_days" INTEGER[] DEFAULT ARRAY[1, 2, 3, 4, 5]::INTEGER[],
    "window_start_minute" INTEGER NOT NULL DEFAULT 540,
    "window_end_minute" INTEGER NOT NULL DEFAULT 1020,
    "days_off" DATE[] DEFAULT ARRAY[]::DATE[],
    "daily_quota" INTEGER NOT NULL DEFAULT 200,
    "ramp_up_enabled" BOOLEAN NOT NULL DEFAULT false,
    "ramp_up_start" INTEGER NOT NULL DEFAULT 20,
    "ramp_up_increment" INTEGER NOT NULL DEFAULT 5,
    "jitter_min_seconds" INTEGER NOT NULL DEFAULT 30,
    "jitter_max_seconds" INTEGER NOT NULL DEFAULT 90,
    "retry_policy" "retry_policy" NOT NULL DEFAULT 'STANDARD',
    "retry_delays_seconds" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "plan_version" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sending_settings_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateTable
CREATE TABLE "mailboxes" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "display_name" TEXT NOT NULL DEFAULT '',
    "kind" "mailbox_kind" NOT NULL,
    "status" "mailbox_status" NOT NULL DEFAULT 'CONNECTED',
    "stopped_reason" TEXT,
    "deferred_until" TIMESTAMPTZ(3),
    "daily_limit" INTEGER NOT NULL DEFAULT 50,
    "rolling_limit" INTEGER NOT NULL DEFAULT 500,
    "next_allowed_at" TIMESTAMPTZ(3),
    "last_served_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mailboxes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "prospects" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "email" TEXT,
    "email_hash" BYTEA NOT NULL,
    "first_name" TEXT,
    "last_name" TEXT,
    "company" TEXT,
    "custom_fields" JSONB NOT NULL DEFAULT '{}',
    "time_zone" TEXT,
    "paused_at" TIMESTAMPTZ(3),
    "replied_at" TIMESTAMPTZ(3),
    "bounced_at" TIMESTAMPTZ(3),
    "unsubscribed_at" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),
    "erased_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "prospects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sequences" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "launched_at" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sequences_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sequence_steps" (
    "id" UUID NOT NULL,
    "sequence_id" UUID NOT NULL,
    "step_number" INTEGER NOT NULL,
    "delay_days" INTEGER NOT NULL DEFAULT 0,
    "subject" TEXT NOT NULL DEFAULT '',
    "body_text" TEXT NOT NULL DEFAULT '',
    "body_html" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sequence_steps_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "campaigns" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "sequence_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "status" "campaign_status" NOT NULL DEFAULT 'DRAFT',
    "scheduled_at" TIMESTAMPTZ(3),
    "batch_size" INTEGER NOT NULL DEFAULT 500,
    "last_cursor" UUID,
    "last_sent_at" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "campaigns_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "campaign_prospects" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "prospect_id" UUID NOT NULL,
    "state" "enrolment_state" NOT NULL DEFAULT 'PENDING',
    "reason" TEXT,
    "planned_at" TIMESTAMPTZ(3),
    "mailbox_id" UUID,
    "paused_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "campaign_prospects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "scheduled_emails" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "kind" "email_kind" NOT NULL DEFAULT 'CAMPAIGN',
    "campaign_id" UUID,
    "campaign_prospect_id" UUID,
    "prospect_id" UUID,
    "sequence_id" UUID,
    "step_number" INTEGER,
    "mailbox_id" UUID NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "status" "scheduled_email_status" NOT NULL DEFAULT 'SCHEDULED',
    "scheduled_for" TIMESTAMPTZ(3) NOT NULL,
    "local_date" DATE NOT NULL,
    "jitter_seconds" INTEGER NOT NULL DEFAULT 0,
    "plan_version" INTEGER NOT NULL DEFAULT 1,
    "ready_at" TIMESTAMPTZ(3),
    "blocker" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_retry_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "last_error_code" TEXT,
    "lease_token" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "leased_by" TEXT,
    "marked_token" INTEGER,
    "submit_started_at" TIMESTAMPTZ(3),
    "message_id" TEXT,
    "thread_id" TEXT,
    "sent_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),
    "cancel_reason" TEXT,
    "dismissed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scheduled_emails_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "email_attempts" (
    "email_id" UUID NOT NULL,
    "lease_token" INTEGER NOT NULL,
    "workspace_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "worker" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "outcome" "attempt_outcome",
    "error_class" TEXT,
    "error_code" TEXT,
    "provider_text" TEXT,
    "receipt" JSONB,

    CONSTRAINT "email_attempts_pkey" PRIMARY KEY ("email_id","lease_token")
);

-- CreateTable
CREATE TABLE "email_events" (
    "id" BIGSERIAL NOT NULL,
    "email_id" UUID NOT NULL,
    "from_status" "scheduled_email_status",
    "to_status" "scheduled_email_status" NOT NULL,
    "reason" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "email_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "planned_days" (
    "mailbox_id" UUID NOT NULL,
    "local_date" DATE NOT NULL,
    "plan_version" INTEGER NOT NULL,
    "workspace_id" UUID NOT NULL,
    "emails" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "first_jitter_seconds" INTEGER NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "planned_days_pkey" PRIMARY KEY ("mailbox_id","plan_version","local_date")
);

-- CreateTable
CREATE TABLE "worker_ticks" (
    "worker" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "summary" JSONB,

    CONSTRAINT "worker_ticks_pkey" PRIMARY KEY ("worker")
);

-- CreateIndex
CREATE UNIQUE INDEX "mailboxes_workspace_id_address_key" ON "mailboxes"("workspace_id", "address");

-- CreateIndex
CREATE UNIQUE INDEX "prospects_workspace_id_email_hash_key" ON "prospects"("workspace_id", "email_hash");

-- CreateIndex
CREATE INDEX "sequences_workspace_id_id_idx" ON "sequences"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "sequence_steps_sequence_id_step_number_key" ON "sequence_steps"("sequence_id", "step_number");

-- CreateIndex
CREATE INDEX "campaigns_workspace_id_id_idx" ON "campaigns"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "campaigns_status_scheduled_at_idx" ON "campaigns"("status", "scheduled_at");

-- CreateIndex
CREATE INDEX "campaign_prospects_prospect_id_idx" ON "campaign_prospects"("prospect_id");

-- CreateIndex
CREATE UNIQUE INDEX "campaign_prospects_campaign_id_prospect_id_key" ON "campaign_prospects"("campaign_id", "prospect_id");

-- CreateIndex
CREATE UNIQUE INDEX "scheduled_emails_idempotency_key_key" ON "scheduled_emails"("idempotency_key");

-- CreateIndex
CREATE INDEX "scheduled_emails_workspace_id_id_idx" ON "scheduled_emails"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "scheduled_emails_campaign_id_status_idx" ON "scheduled_emails"("campaign_id", "status");

-- CreateIndex
CREATE INDEX "scheduled_emails_campaign_prospect_id_step_number_idx" ON "scheduled_emails"("campaign_prospect_id", "step_number");

-- CreateIndex
CREATE INDEX "email_events_email_id_id_idx" ON "email_events"("email_id", "id");

-- CreateIndex
CREATE INDEX "planned_days_workspace_id_plan_version_local_date_idx" ON "planned_days"("workspace_id", "plan_version", "local_date");

-- AddForeignKey
ALTER TABLE "sending_settings" ADD CONSTRAINT "sending_settings_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "prospects" ADD CONSTRAINT "prospects_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sequences" ADD CONSTRAINT "sequences_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sequence_steps" ADD CONSTRAINT "sequence_steps_sequence_id_fkey" FOREIGN KEY ("sequence_id") REFERENCES "sequences"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_sequence_id_fkey" FOREIGN KEY ("sequence_id") REFERENCES "sequences"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaign_prospects" ADD CONSTRAINT "campaign_prospects_campaign_id_fkey" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaign_prospects" ADD CONSTRAINT "campaign_prospects_prospect_id_fkey" FOREIGN KEY ("prospect_id") REFERENCES "prospects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaign_prospects" ADD CONSTRAINT "campaign_prospects_mailbox_id_fkey" FOREIGN KEY ("mailbox_id") REFERENCES "mailboxes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scheduled_emails" ADD CONSTRAINT "scheduled_emails_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scheduled_emails" ADD CONSTRAINT "scheduled_emails_campaign_id_fkey" FOREIGN KEY ("campaign_id") REFERENCES "campaigns"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scheduled_emails" ADD CONSTRAINT "scheduled_emails_campaign_prospect_id_fkey" FOREIGN KEY ("campaign_prospect_id") REFERENCES "campaign_prospects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scheduled_emails" ADD CONSTRAINT "scheduled_emails_prospect_id_fkey" FOREIGN KEY ("prospect_id") REFERENCES "prospects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scheduled_emails" ADD CONSTRAINT "scheduled_emails_sequence_id_fkey" FOREIGN KEY ("sequence_id") REFERENCES "sequences"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scheduled_emails" ADD CONSTRAINT "scheduled_emails_mailbox_id_fkey" FOREIGN KEY ("mailbox_id") REFERENCES "mailboxes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "planned_days" ADD CONSTRAINT "planned_days_mailbox_id_fkey" FOREIGN KEY ("mailbox_id") REFERENCES "mailboxes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Enrolments that are not planned yet: what the scheduler looks for, in batches.
CREATE INDEX "campaign_prospects_unplanned_idx" ON "campaign_prospects" ("campaign_id", "id")
  WHERE "planned_at" IS NULL AND "state" = 'PENDING';

-- A tail of dead rows in the queue slows every claim: clean by count, and without pauses.
ALTER TABLE "scheduled_emails" SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0
);
