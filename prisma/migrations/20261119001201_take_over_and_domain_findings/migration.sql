-- AlterTable
ALTER TABLE "mailboxes" ADD COLUMN     "taken_over_by_id" UUID;

-- AlterTable
ALTER TABLE "sending_domains" ADD COLUMN     "findings" JSONB,
ADD COLUMN     "looked_at" TIMESTAMPTZ(3);

-- AddForeignKey
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_taken_over_by_id_fkey" FOREIGN KEY ("taken_over_by_id") REFERENCES "mailboxes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Only what was removed hands on what waited for it.
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_taken_over" CHECK ("taken_over_by_id" IS NULL OR "status" = 'ARCHIVED');

-- Who took over whom decides where follow-ups go, so it is part of what a plan rests on. Without any it stays as it was.
CREATE OR REPLACE FUNCTION plan_basis(workspace uuid) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT md5(concat_ws('|', s.time_zone, coalesce(s.next_time_zone, ''), coalesce(s.next_time_zone_at::text, ''), s.sending_days,
    s.window_start_minute, s.window_end_minute, s.days_off, s.daily_quota, s.ramp_up_enabled, s.ramp_up_start, s.ramp_up_increment,
    s.jitter_min_seconds, s.jitter_max_seconds,
    (SELECT string_agg(concat_ws(',', m.id, m.daily_limit, m.rolling_limit, coalesce(m.deferred_until::text, '')), ';' ORDER BY m.id)
     FROM mailboxes m WHERE m.workspace_id = s.workspace_id AND m.status = 'CONNECTED'),
    (SELECT string_agg(concat_ws(',', m.id, m.taken_over_by_id), ';' ORDER BY m.id)
     FROM mailboxes m WHERE m.workspace_id = s.workspace_id AND m.taken_over_by_id IS NOT NULL)))
  FROM sending_settings s WHERE s.workspace_id = workspace
$$;
