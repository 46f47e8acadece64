import { fork } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { ENCRYPTION_KEYS } from '#tests/support/faults/worker.ts'
import { testGoogle } from '#tests/support/gmail/fake-google.ts'
import { connectToGoogle } from '#tests/support/gmail/grant.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { endsWithUs } from '#tests/support/server/reaper.ts'

const db = testDatabase()
const fake = testGoogle()
const PROCESSES = 8
const EACH = scale({ short: 15, full: 250 })

function startRenewing(mailboxId: string): Promise<{ had: number; refused: string[] }> {
  const script = join(projectRoot, 'src/__tests__/support/gmail/renew-process.ts')
  const child = fork(script, [db.url, fake.url, mailboxId, String(EACH)], {
    env: { ...process.env, TEST_KEYS: ENCRYPTION_KEYS },
  })
  if (child.pid) endsWithUs({ pid: child.pid })
  return new Promise((done, failed) => {
    child.once('message', (answer) => done(answer as { had: number; refused: string[] }))
    child.once('exit', (code) => failed(new Error(`it ended with ${code}`)))
  })
}

test('eight processes renew one mailbox’s access at the same time: one after the other, and no token is lost, although each renewal replaces it', async () => {
  const { mailboxId, mailboxIds } = await makeCampaign(db.pool)
  await fake.play({ rotates: true, accessSeconds: 1, rules: [{ op: 'token', delayMs: 2 }] })
  await connectToGoogle(db.pool, fake.google, mailboxIds)
  await db.pool.query('UPDATE gmail_accounts SET access_expires_at = NULL WHERE mailbox_id = $1', [mailboxId])
  const answers = await Promise.all(Array.from({ length: PROCESSES }, () => startRenewing(mailboxId)))
  expect(answers.flatMap(({ refused }) => refused)).toEqual([])
  // Both askers of a process may find its last wish open.
  const had = answers.reduce((sum, answer) => sum + answer.had, 0)
  expect(had).toBeGreaterThanOrEqual(PROCESSES * EACH)
  const journal = fake.journal()
  expect(journal.filter(({ event }) => event === 'rotated')).toHaveLength(had)
  expect(journal.filter(({ event }) => event === 'asked-together')).toEqual([])
  const { rows } = await db.pool.query('SELECT renewal, renewing_until FROM gmail_accounts WHERE mailbox_id = $1', [
    mailboxId,
  ])
  expect(rows).toEqual([{ renewal: had, renewing_until: null }])
})
