-- By a part of address or name, of the copies that are frozen before any attempt (token 0), which campaign emails do not
-- have, so that no hand-over of theirs writes this. Where a server comes without pg_trgm, those of the workspace are read
-- one by one: slower, and the same answer.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
    CREATE INDEX "email_contents_search_idx" ON "email_contents" USING gin (lower("to_address" || ' ' || "to_name") gin_trgm_ops)
      WHERE "content_token" = 0;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'the recipients of transactional emails have no index for parts of their addresses';
END $$;
