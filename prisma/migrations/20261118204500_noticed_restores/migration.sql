-- AlterEnum
ALTER TYPE "sighting_reason" ADD VALUE 'WENT_BACK';

-- AlterTable
ALTER TABLE "server_sightings" ADD COLUMN     "last_seen_at" TIMESTAMPTZ(3),
ADD COLUMN     "oids" TEXT;

-- AlterTable
ALTER TABLE "worker_ticks" ADD COLUMN     "number" BIGSERIAL NOT NULL;

-- CreateEnum
CREATE TYPE "doubt" AS ENUM ('IN_BETWEEN', 'BEFORE', 'HELD');

-- CreateTable
CREATE TABLE "emails_in_doubt" (
    "sighting_id" BIGINT NOT NULL,
    "email_id" UUID NOT NULL,
    "doubt" "doubt" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "emails_in_doubt_pkey" PRIMARY KEY ("sighting_id","email_id")
);

-- AddForeignKey
ALTER TABLE "emails_in_doubt" ADD CONSTRAINT "emails_in_doubt_sighting_id_fkey" FOREIGN KEY ("sighting_id") REFERENCES "server_sightings"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A dump that is restored on the same server changes neither its identifier nor its timeline, but it makes things anew: the
-- database where it is restored beside the old one, the queue's table where it is restored in place. Anybody may ask this.
CREATE FUNCTION database_oids() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || coalesce(to_regclass('scheduled_emails')::oid, 0::oid)
$$;

-- What has been seen so far was seen here, as far as anybody knows.
UPDATE "server_sightings" SET "oids" = database_oids(), "last_seen_at" = "noticed_at";

-- `highest_tick_seen`: by the process that asks. A database whose ticks are not so far has been put back to an earlier state
-- under a living worker, whose memory is then all that tells.
DROP FUNCTION sending_is_held();
CREATE FUNCTION sending_is_held(highest_tick_seen bigint DEFAULT 0) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT s.lifted_at IS NULL OR s.server IS DISTINCT FROM database_server() OR s.oids IS DISTINCT FROM database_oids()
    FROM server_sightings s ORDER BY s.lifted_at IS NULL DESC, s.id DESC LIMIT 1), false)
    OR (SELECT last_value FROM worker_ticks_number_seq) < highest_tick_seen
$$;
