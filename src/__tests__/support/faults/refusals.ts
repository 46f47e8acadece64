import type pg from 'pg'

/** What Postgres says of statements that are well: of a pooler or a reload, of a deadlock, full, restarting. */
const CODES = ['0A000', '26000', '42P05', '40P01', '53300', '57P03', '57014']

/**
 * Lets Postgres refuse the first of every `ofEach` attempts that are written down (all, where it is 1), each time for
 * another reason. Answers how often it has when it is told to stop.
 */
export async function refuseAttempts(pool: pg.Pool, ofEach: number): Promise<() => Promise<number>> {
  await pool.query(`
    CREATE SEQUENCE test_support.attempts_tried;
    CREATE SEQUENCE test_support.attempts_refused;
    CREATE FUNCTION test_support.refuse_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- Sequences go on through a rollback.
      IF nextval('test_support.attempts_tried') % ${ofEach} <> 0 OR ${ofEach} = 1 THEN
        RAISE 'refused by a test' USING ERRCODE =
          ('{${CODES.join(',')}}'::text[])[1 + nextval('test_support.attempts_refused') % ${CODES.length}];
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER refused_by_a_test BEFORE INSERT ON email_attempts FOR EACH STATEMENT
      EXECUTE FUNCTION test_support.refuse_attempt()`)
  return async () => {
    const { rows } = await pool.query<{ refused: number }>(
      'SELECT last_value::int * is_called::int AS refused FROM test_support.attempts_refused',
    )
    await pool.query(`
      DROP TRIGGER refused_by_a_test ON email_attempts;
      DROP FUNCTION test_support.refuse_attempt();
      DROP SEQUENCE test_support.attempts_tried;
      DROP SEQUENCE test_support.attempts_refused`)
    return rows[0]?.refused ?? 0
  }
}
