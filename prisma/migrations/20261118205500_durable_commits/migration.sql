-- On a server with synchronous_commit off, a commit is answered before it is on disk, and a crash takes back the last ones:
-- marks of emails that have been handed over, and a pause or an unsubscribe that was answered. So whatever writes these
-- tables commits durably. Asked for here and not by the statements: nothing that writes can forget it, whatever it came through,
-- and behind a pooler it costs no round trip. Where the setting is as it should be, the condition is all there is to do.
CREATE FUNCTION commit_durably() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'on', true);
  RETURN NULL;
END $$;

DO $$
DECLARE
  written text;
BEGIN
  FOREACH written IN ARRAY ARRAY['scheduled_emails', 'email_attempts', 'campaigns', 'prospects', 'suppressions', 'mailboxes',
      'server_sightings', 'worker_ticks'] LOOP
    EXECUTE format(
      'CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH STATEMENT WHEN (current_setting(''synchronous_commit'') = ''off'') EXECUTE FUNCTION commit_durably()',
      written || '_durable', written);
  END LOOP;
END $$;
