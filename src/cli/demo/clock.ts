import type pg from 'pg'

/**
 * The clock of a demo's database while the demo is made, and of no other: app_now() with an offset. What would be written
 * by now() is written by it as well, so that a campaign is not younger than its emails. `giveBack` leaves the database as
 * the migrations made it, and a demo that is not made to its end is thrown away.
 */
export class DemoClock {
  readonly #pool: pg.Pool
  #appNow = ''
  #defaults: { table: string; column: string; was: string }[] = []

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async take(): Promise<void> {
    const { rows } = await this.#pool.query<{ text: string }>(
      `SELECT pg_get_functiondef('app_now()'::regprocedure) AS text`,
    )
    this.#appNow = rows[0]?.text ?? ''
    await this.#pool.query(`
      CREATE SCHEMA demo;
      CREATE TABLE demo.clock ("offset" interval NOT NULL);
      INSERT INTO demo.clock VALUES ('0');
      CREATE OR REPLACE FUNCTION app_now() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE
      AS $$ BEGIN RETURN date_trunc('milliseconds', clock_timestamp() + (SELECT "offset" FROM demo.clock)); END $$;`)
    const found = await this.#pool.query<{ table: string; column: string; was: string }>(
      `SELECT quote_ident(table_name) AS table, quote_ident(column_name) AS column, column_default AS was
       FROM information_schema.columns
       WHERE table_schema = 'public' AND column_default = 'CURRENT_TIMESTAMP'`,
    )
    this.#defaults = found.rows
    for (const { table, column } of this.#defaults)
      await this.#pool.query(`ALTER TABLE ${table} ALTER COLUMN ${column} SET DEFAULT app_now()`)
  }

  /** Never back: what has happened has happened before. */
  async goTo(moment: Date): Promise<void> {
    await this.#pool.query(
      `UPDATE demo.clock SET "offset" = $1::timestamptz - clock_timestamp() WHERE $1::timestamptz > app_now()`,
      [moment],
    )
  }

  /** For the beginning: before anything has happened. */
  async beginAt(moment: Date): Promise<void> {
    await this.#pool.query(`UPDATE demo.clock SET "offset" = $1::timestamptz - clock_timestamp()`, [moment])
  }

  async now(): Promise<Date> {
    const { rows } = await this.#pool.query<{ now: Date }>('SELECT app_now() AS now')
    return rows[0]?.now ?? new Date()
  }

  async giveBack(): Promise<void> {
    for (const { table, column, was } of this.#defaults)
      await this.#pool.query(`ALTER TABLE ${table} ALTER COLUMN ${column} SET DEFAULT ${was}`)
    await this.#pool.query(this.#appNow)
    await this.#pool.query('DROP SCHEMA demo CASCADE')
  }
}
