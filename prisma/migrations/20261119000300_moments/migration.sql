-- How far the server's log has been written. It only grows as long as the server keeps what it has committed: what an
-- answered commit has written is durable, and so is all that lies before it. NULL where Postgres does not tell.
CREATE FUNCTION log_position() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint;
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_function OR object_not_in_prerequisite_state THEN
  RETURN NULL;
END $$;

-- Asked by a process that has seen the database at a later moment: a snapshot was put back, and the memory of that process
-- is all that tells. A sighting that is newer than the one it knows was lifted by a person since, who has looked: what
-- was seen before says nothing any more. Zeros: it has seen nothing yet.
CREATE FUNCTION has_gone_back(tick_seen bigint, sighting_seen bigint, position_seen bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT last.id < sighting_seen OR (last.id = sighting_seen AND (
    (SELECT last_value FROM worker_ticks_number_seq) < tick_seen OR coalesce(log_position() < position_seen, false)))
  FROM (SELECT coalesce(max(id), 0) AS id FROM server_sightings) last
$$;

DROP FUNCTION sending_is_held(bigint);
CREATE FUNCTION sending_is_held(tick_seen bigint DEFAULT 0, sighting_seen bigint DEFAULT 0, position_seen bigint DEFAULT 0) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT s.lifted_at IS NULL OR s.server IS DISTINCT FROM database_server() OR s.oids IS DISTINCT FROM database_oids()
    FROM server_sightings s ORDER BY s.lifted_at IS NULL DESC, s.id DESC LIMIT 1), false)
    OR has_gone_back(tick_seen, sighting_seen, position_seen)
$$;
