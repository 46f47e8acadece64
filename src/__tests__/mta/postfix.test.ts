import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dkimVerify } from 'mailauth/lib/dkim/verify'
import { type ParsedMail, simpleParser } from 'mailparser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDomain } from '#lib/mail/domains/add-domain.ts'
import { verifyDomain } from '#lib/mail/domains/verify-domain.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { readKeyring } from '#lib/platform/keyring.ts'
import { createSequence } from '#lib/sequences/change-sequence.ts'
import { launch, makeDraft } from '#tests/support/data/drafts.ts'
import { actor } from '#tests/support/data/people.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { check } from '#tests/support/faults/faults-checker.ts'
import { countStates, until } from '#tests/support/faults/waiting.ts'
import { Worker, workerEnvironment } from '#tests/support/faults/worker.ts'
import { makeCertificate } from '#tests/support/mail/certificates.ts'
import { type Postfix, startPostfix } from '#tests/support/mail/postfix.ts'
import { testDatabase } from '#tests/support/server/database.ts'

/** What our own peers cannot prove: that a mail server which everybody uses takes, keeps and delivers what the worker hands it. */
const db = testDatabase()
const RECIPIENTS = 500
const STEPS = [
  {
    delayDays: 0,
    subject: 'Grüße an {{firstName | "dich"}}, and more than one line of a header can hold in its length',
    bodyText: 'Täglich.\n.\nFrom here.\n',
    bodyHtml: '',
  },
  {
    delayDays: 2,
    subject: '',
    bodyText: '',
    bodyHtml: `<p>Noch einmal, <b>{{firstName | "du"}}</b>. ${'ü '.repeat(600)}</p>`,
  },
]

const folder = mkdtempSync(join(tmpdir(), 'sendonce-mta-'))
const extraCa = join(folder, 'ca.pem')
let postfix: Postfix
let draft: Awaited<ReturnType<typeof makeDraft>>
let dkimRecord: { name: string; value: string }
/** All that was delivered, by the step that it belongs to. */
const arrived: { raw: Buffer; mail: ParsedMail }[][] = []

beforeAll(async () => {
  const ca = makeCertificate({ name: 'Test CA' })
  writeFileSync(extraCa, ca.cert)
  postfix = await startPostfix('example.test', makeCertificate({ name: 'mx', hosts: ['127.0.0.1'], signer: ca }))

  const settings = {
    time_zone: 'UTC',
    daily_quota: 100_000,
    jitter_min_seconds: 0,
    jitter_max_seconds: 0,
    postal_address: '1 High Street',
  }
  const limits = { dailyLimit: 100_000, rollingLimit: 100_000 }
  const { workspaceId, mailboxIds } = await makeWorkspace(db.pool, { mailboxes: 4, settings, limits })
  await db.pool.query(
    `INSERT INTO smtp_settings (mailbox_id, workspace_id, host, port, security, username, updated_at)
     SELECT id, $2, '127.0.0.1', $3, 'STARTTLS', NULL, app_now() FROM unnest($1::uuid[]) AS id`,
    [mailboxIds, workspaceId, postfix.port],
  )
  const keys = readKeyring(workerEnvironment(db.url).ENCRYPTION_KEYS ?? '')
  if (!keys.ok) throw new Error(keys.problem)
  const { id, record } = await addDomain(db.pool, keys.keyring, workspaceId, 'acme.test', actor)
  dkimRecord = record
  await verifyDomain(db.pool, workspaceId, id, actor, async () => [[record.value]])

  const sequence = await inTransaction(db.pool, (tx) =>
    createSequence(tx, workspaceId, { name: 'Welcome', steps: STEPS }),
  )
  draft = await makeDraft(db.pool, RECIPIENTS, [], { workspaceId, sequenceId: sequence.id })
  await launch(db.pool, draft)

  const started = performance.now()
  const worker = new Worker(db.url, { connections: 10, leaseSeconds: 60, submitSeconds: 20, extraCa })
  try {
    for (const [step] of STEPS.entries()) {
      const wanted = RECIPIENTS * (step + 1)
      await until(
        () =>
          `step ${step + 1} has been delivered: ${postfix.delivered().length} lie there\n${worker.log.slice(-2_000)}\n${postfix.log().slice(-2_000)}`,
        async () => (await countStates(db.pool, draft.campaignId)).SENT === wanted && postfix.queued() === 0,
        240_000,
      )
      const known = new Set(arrived.flat().map(({ mail }) => mail.messageId))
      const mails = await Promise.all(postfix.delivered().map(async (raw) => ({ raw, mail: await simpleParser(raw) })))
      arrived.push(mails.filter(({ mail }) => !known.has(mail.messageId)))
      if (step + 1 < STEPS.length) await db.travel('3 days')
    }
    expect(await worker.stop()).toBe(0)
  } finally {
    await worker.kill()
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  process.stdout.write(`a real MTA: ${postfix.delivered().length} delivered in ${seconds} s\n`)
}, 600_000)

afterAll(async () => {
  await postfix?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('everything that the database calls sent lies in the mailbox, exactly once, and nothing else does', async () => {
  const all = await Promise.all(postfix.delivered().map((raw) => simpleParser(raw)))
  expect(all).toHaveLength(RECIPIENTS * STEPS.length)
  const { rows } = await db.pool.query<{ messageId: string; email: string; step: number }>(
    `SELECT c.message_id AS "messageId", p.email, e.step_number AS step FROM scheduled_emails e
     JOIN email_contents c ON c.email_id = e.id JOIN prospects p ON p.id = e.prospect_id
     WHERE e.campaign_id = $1 AND e.status = 'SENT'`,
    [draft.campaignId],
  )
  const line = (messageId: string | undefined, email: string | undefined) => `${messageId} ${email}`
  expect(all.map((mail) => line(mail.messageId, deliveredTo(mail))).toSorted()).toEqual(
    rows.map(({ messageId, email }) => line(messageId, email)).toSorted(),
  )
  const ledger = all.map((mail) => ({
    event: 'accepted' as const,
    connection: 0,
    from: '',
    to: [deliveredTo(mail) ?? ''],
    dataAt: '',
    messageId: mail.messageId ?? '',
  }))
  const findings = await check(db.pool, [draft.campaignId], ledger)
  expect(findings).toMatchObject({
    wrong: [],
    doubles: 0,
    sent: RECIPIENTS * STEPS.length,
    accepted: RECIPIENTS * STEPS.length,
  })
})

test('a follow-up lies in the thread of the first: In-Reply-To, References, subject and sender', () => {
  const [first = [], second = []] = arrived
  expect(first).toHaveLength(RECIPIENTS)
  expect(second).toHaveLength(RECIPIENTS)
  const firstTo = new Map(first.map(({ mail }) => [recipientOf(mail), mail]))
  for (const { mail } of second) {
    const before = firstTo.get(recipientOf(mail))
    expect(mail.inReplyTo).toBe(before?.messageId)
    expect(mail.references).toBe(before?.messageId)
    expect(mail.subject).toBe(before?.subject)
    expect(mail.from?.text).toBe(before?.from?.text)
  }
})

test('the texts and the way out are whole: lone dots, umlauts, long lines, both headers of one-click', () => {
  for (const [step, mails] of arrived.entries()) {
    for (const { raw, mail } of mails) {
      expect(header(mail, 'list-unsubscribe')).toMatch(/^<http:\/\/sendonce\.test\/u\/[\w-]{66}>$/)
      expect(header(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
      if (step === 0) expect(mail.text).toContain('Täglich.\n.\nFrom here.')
      else expect(mail.html).toContain('Noch einmal, <b>du</b>.')
      expect(
        Math.max(
          ...raw
            .toString('latin1')
            .split('\n')
            .map((line) => line.length),
        ),
      ).toBeLessThanOrEqual(998)
    }
  }
})

test('every signature is right as it lies in the mailbox', async () => {
  const resolver = async (name: string) => (name === dkimRecord.name ? [[dkimRecord.value]] : [])
  const verdicts = await Promise.all(
    arrived.flat().map(async ({ raw }) => {
      const { results } = await dkimVerify(asOnItsWay(raw), { resolver })
      return results.map(({ status, signingDomain }) => `${status.result} ${signingDomain}`).join()
    }),
  )
  expect(verdicts).toHaveLength(RECIPIENTS * STEPS.length)
  expect(new Set(verdicts)).toEqual(new Set(['pass acme.test']))
})

/** A maildir keeps lines as Unix does; a message on its way has them as SMTP does. */
const asOnItsWay = (raw: Buffer) => Buffer.from(raw.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1')

function recipientOf(mail: ParsedMail): string | undefined {
  const to = Array.isArray(mail.to) ? mail.to : [mail.to]
  expect(to).toHaveLength(1)
  return to[0]?.value[0]?.address
}

/** Of the envelope, as the server wrote it down. */
const deliveredTo = (mail: ParsedMail) => header(mail, 'delivered-to')

/** As it stands there, unfolded; the parser gives this one in parts. */
function header(mail: ParsedMail, name: string): string | undefined {
  const line = mail.headerLines.find(({ key }) => key === name)?.line
  return line
    ?.slice(name.length + 1)
    .replaceAll(/\r?\n\s+/g, ' ')
    .trim()
}
