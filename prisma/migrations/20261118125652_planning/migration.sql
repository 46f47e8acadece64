-- AlterTable
ALTER TABLE "sending_settings" DROP COLUMN "plan_version";

-- CreateTable
CREATE TABLE "workspace_plans" (
    "workspace_id" UUID NOT NULL,
    "basis" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "serial" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "workspace_plans_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateTable
CREATE TABLE "freed_places" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" UUID NOT NULL,
    "mailbox_id" UUID NOT NULL,
    "plan_version" INTEGER NOT NULL,
    "local_date" DATE NOT NULL,
    "emails" INTEGER NOT NULL,

    CONSTRAINT "freed_places_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mailbox_days" (
    "mailbox_id" UUID NOT NULL,
    "local_date" DATE NOT NULL,
    "reserved" INTEGER NOT NULL,

    CONSTRAINT "mailbox_days_pkey" PRIMARY KEY ("mailbox_id","local_date")
);

-- CreateTable
CREATE TABLE "workspace_days" (
    "workspace_id" UUID NOT NULL,
    "local_date" DATE NOT NULL,
    "reserved" INTEGER NOT NULL,

    CONSTRAINT "workspace_days_pkey" PRIMARY KEY ("workspace_id","local_date")
);

-- CreateIndex
CREATE INDEX "freed_places_workspace_id_idx" ON "freed_places"("workspace_id");

-- AddForeignKey
ALTER TABLE "workspace_plans" ADD CONSTRAINT "workspace_plans_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mailbox_days" ADD CONSTRAINT "mailbox_days_mailbox_id_fkey" FOREIGN KEY ("mailbox_id") REFERENCES "mailboxes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workspace_days" ADD CONSTRAINT "workspace_days_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Planning again: what waits under an older version of the workspace's plan, in the order in which it goes.
DROP INDEX "scheduled_emails_replan_idx";
CREATE INDEX "scheduled_emails_replan_idx" ON "scheduled_emails" ("workspace_id", "plan_version", "scheduled_for")
  WHERE status = 'SCHEDULED';

ALTER TABLE "mailbox_days" ADD CONSTRAINT "mailbox_days_reserved" CHECK ("reserved" >= 0);
ALTER TABLE "workspace_days" ADD CONSTRAINT "workspace_days_reserved" CHECK ("reserved" >= 0);

-- What a workspace's plan rests on, as one value. Where it is another than the stored one, somebody changed settings or
-- a mailbox: seen by comparison, so that no change can be forgotten, whoever makes it and wherever it dies.
CREATE FUNCTION plan_basis(workspace uuid) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT md5(concat_ws('|', s.time_zone, coalesce(s.next_time_zone, ''), coalesce(s.next_time_zone_at::text, ''), s.sending_days,
    s.window_start_minute, s.window_end_minute, s.days_off, s.daily_quota, s.ramp_up_enabled, s.ramp_up_start, s.ramp_up_increment,
    s.jitter_min_seconds, s.jitter_max_seconds,
    (SELECT string_agg(concat_ws(',', m.id, m.daily_limit, m.rolling_limit, coalesce(m.deferred_until::text, '')), ';' ORDER BY m.id)
     FROM mailboxes m WHERE m.workspace_id = s.workspace_id AND m.status = 'CONNECTED')))
  FROM sending_settings s WHERE s.workspace_id = workspace
$$;
