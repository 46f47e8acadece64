-- CreateEnum
CREATE TYPE "sighting_reason" AS ENUM ('FIRST', 'CHANGED', 'BY_PERSON');

-- CreateTable
CREATE TABLE "server_sightings" (
    "id" BIGSERIAL NOT NULL,
    "server" TEXT,
    "reason" "sighting_reason" NOT NULL,
    "noticed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "last_sign_at" TIMESTAMPTZ(3),
    "lifted_at" TIMESTAMPTZ(3),
    "lifted_by" TEXT,

    CONSTRAINT "server_sightings_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "server_sightings_held_key" ON "server_sightings" ((true)) WHERE "lifted_at" IS NULL;

-- Which server this is: another one after a dump was restored elsewhere, another timeline after a backup was restored to
-- a moment or a standby took over. The timeline is asked of the log that is being written: the one of the last
-- checkpoint follows a promotion minutes late. NULL where Postgres (or who runs it) does not tell.
CREATE FUNCTION database_server() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  identifier bigint;
  timeline int;
BEGIN
  SELECT system_identifier INTO identifier FROM pg_control_system();
  BEGIN
    timeline := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int;
  EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_function OR object_not_in_prerequisite_state THEN
    SELECT timeline_id INTO timeline FROM pg_control_checkpoint();
  END;
  RETURN identifier || '/' || timeline;
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_function THEN
  RETURN NULL;
END $$;

-- Asked by every claim, and not only by the tick that notices: a server that is replaced in the middle of a tick claims
-- nothing any more. Before the first tick nothing is known, and nothing is held.
CREATE FUNCTION sending_is_held() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT s.lifted_at IS NULL OR s.server IS DISTINCT FROM database_server()
    FROM server_sightings s ORDER BY s.lifted_at IS NULL DESC, s.id DESC LIMIT 1), false)
$$;

-- Transactional emails by state, for the queue page: they are in no campaign. Costs the insert of campaign emails nothing.
CREATE INDEX "scheduled_emails_transactional_idx" ON "scheduled_emails" ("workspace_id", "status", "id") WHERE kind = 'TRANSACTIONAL';
