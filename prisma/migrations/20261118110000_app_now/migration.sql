-- The one clock of every comparison of time in SQL: the database's own, to the millisecond that our columns keep.
-- STABLE lets an index be searched by it; clock_timestamp() makes a statement that waited for a lock see the time
-- after the wait. Test databases replace this function with one that adds an offset; no other database may.
CREATE FUNCTION app_now() RETURNS timestamptz
LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$ BEGIN RETURN date_trunc('milliseconds', clock_timestamp()); END $$;
