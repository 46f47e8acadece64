import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '#lib/platform/id.ts'
import { type Keyring, readKeyring } from '#lib/platform/keyring.ts'
import { forgetCredentials, readCredential, storeCredential } from '#lib/tenancy/credentials/credentials.ts'
import { rotateCredentials } from '#lib/tenancy/credentials/rotate-credentials.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const [first, second, third] = ['k1', 'k2', 'k3'].map((id) => `${id}:${randomBytes(32).toString('base64')}`)
const workspaceId = newId()

function ring(...keys: (string | undefined)[]): Keyring {
  const reading = readKeyring(keys.join(','))
  if (!reading.ok) throw new Error(reading.problem)
  return reading.keyring
}

const place = (ownerId: string) => ({ workspaceId, ownerKind: 'mailbox', ownerId, field: 'smtp-password' })
const mailboxes = Array.from({ length: 250 }, () => newId())
const underKeys = async () => {
  const { rows } = await db.pool.query<{ keyId: string; rows: number }>(
    'SELECT key_id AS "keyId", count(*) AS rows FROM encrypted_credentials GROUP BY 1 ORDER BY 1',
  )
  return Object.fromEntries(rows.map((row) => [row.keyId, row.rows]))
}

beforeAll(async () => {
  await db.pool.query('INSERT INTO workspaces (id, name) VALUES ($1, $2)', [workspaceId, 'Acme'])
  for (const id of mailboxes) await storeCredential(db.pool, ring(first), place(id), `secret of ${id}`)
})

test('a secret is read where it was stored, and nowhere else', async () => {
  const [one = '', two = ''] = mailboxes
  expect(await readCredential(db.pool, ring(first), place(one))).toBe(`secret of ${one}`)
  expect(await readCredential(db.pool, ring(first), { ...place(one), workspaceId: newId() })).toBeUndefined()
  const { rows } = await db.pool.query<{ ciphertext: Buffer }>(
    'SELECT ciphertext FROM encrypted_credentials WHERE owner_id = $1',
    [one],
  )
  expect(rows[0]?.ciphertext.toString('latin1')).not.toContain('secret')
  const swapped = { ...place(two), field: 'copied' }
  await storeCredential(db.pool, ring(first), swapped, 'x')
  await db.pool.query(`UPDATE encrypted_credentials SET ciphertext = $1 WHERE field = 'copied'`, [rows[0]?.ciphertext])
  await expect(readCredential(db.pool, ring(first), swapped)).rejects.toThrow()
  await db.pool.query(`DELETE FROM encrypted_credentials WHERE field = 'copied'`)
})

test('rotation brings everything under the current key while secrets are read and stored', async () => {
  const keys = ring(second, first)
  let running = true
  const product = (async () => {
    let turn = 0
    while (running) {
      const id = mailboxes[turn++ % mailboxes.length] ?? ''
      expect(await readCredential(db.pool, keys, place(id))).toMatch(new RegExp(`^(newer )?secret of ${id}$`))
      await storeCredential(db.pool, keys, place(id), `newer secret of ${id}`)
    }
  })()
  const { encrypted, unreadable } = await rotateCredentials(db.pool, keys, 20)
  running = false
  await product
  expect(unreadable).toEqual([])
  expect(encrypted).toBeGreaterThan(0)
  expect(await underKeys()).toEqual({ k2: 250 })
  for (const id of mailboxes) expect(await readCredential(db.pool, ring(second), place(id))).toContain(id)
})

test('one that was stopped in the middle goes on where it was; a second one finds nothing to do', async () => {
  const keys = ring(third, second)
  await db.pool.query(
    `CREATE FUNCTION stop_after_100() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF (SELECT count(*) FROM encrypted_credentials WHERE key_id = 'k3') >= 100 THEN RAISE EXCEPTION 'killed'; END IF; RETURN NEW; END $$`,
  )
  await db.pool.query(
    `CREATE TRIGGER stop BEFORE UPDATE ON encrypted_credentials FOR EACH ROW EXECUTE FUNCTION stop_after_100()`,
  )
  await expect(rotateCredentials(db.pool, keys, 50)).rejects.toThrow('killed')
  expect(await underKeys()).toEqual({ k2: 150, k3: 100 })
  await db.pool.query('DROP TRIGGER stop ON encrypted_credentials')
  expect(await rotateCredentials(db.pool, keys, 50)).toEqual({ encrypted: 150, unreadable: [] })
  expect(await rotateCredentials(db.pool, keys, 50)).toEqual({ encrypted: 0, unreadable: [] })
})

test('what no key opens is named and kept, and the rest goes on', async () => {
  await storeCredential(db.pool, ring(first), place(mailboxes[7] ?? ''), 'under a lost key')
  const { encrypted, unreadable } = await rotateCredentials(db.pool, ring(second, third), 50)
  expect(encrypted).toBe(249)
  expect(unreadable).toMatchObject([{ keyId: 'k1' }])
  expect(await readCredential(db.pool, ring(first), place(mailboxes[7] ?? ''))).toBe('under a lost key')
})

test('a mailbox that is disconnected leaves nothing', async () => {
  await forgetCredentials(db.pool, place(mailboxes[0] ?? ''))
  expect(await readCredential(db.pool, ring(second), place(mailboxes[0] ?? ''))).toBeUndefined()
})

test('npm run keys -- rotate does all of it from the environment', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['src/cli/keys.ts', 'rotate'], {
    env: { ...process.env, DATABASE_URL: db.url, ENCRYPTION_KEYS: [first, second].join(',') },
  })
  expect(stdout).toContain('248 of the stored credentials were encrypted anew with the key "k1"')
  expect(stdout).toContain('None is left under an older key')
  expect(await underKeys()).toEqual({ k1: 249 })
})
