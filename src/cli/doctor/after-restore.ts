import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import type pg from 'pg'
import {
  FIRST_MOVE_PEOPLE,
  isToMovePeople,
  type MaybeSent,
  readMaybeSent,
} from '#lib/email-scheduler/read/after-restore.ts'
import { liftHold, noticeGoingBack, noticeServer, readHold } from '#lib/email-scheduler/send/hold.ts'
import { hasGoneBack } from '#lib/email-scheduler/send/moment.ts'
import { log } from '#lib/platform/log.ts'
import { Witness } from '#lib/worker/witness.ts'
import { witnessFolder } from '../home/settings.ts'
import { Problem } from '../problem.ts'

type Say = (line: string) => void

/** What may have been sent by the server that was lost; and, on a person's word, sending goes on. */
export async function afterRestore(pool: pg.Pool, say: Say, { lift, yes }: { lift: boolean; yes: boolean }) {
  await Witness.of(pool, witnessFolder(), log).recall()
  await ((await hasGoneBack(pool)) ? noticeGoingBack(pool) : noticeServer(pool))
  const hold = await readHold(pool)
  if (!hold.isHeld) {
    say('Sending is not held: the database is the one that was seen last.')
    say(
      'If you have restored something that cannot be told from before (a snapshot of a whole machine, while no worker ran): npm run doctor -- --hold',
    )
    return
  }
  say(hold.sentence)
  const { since, lastSignAt } = hold
  say(`Noticed ${since ? stamp(since) : 'just now'}. ${lastSign(lastSignAt)}`)
  const maybeSent = await readMaybeSent(pool)
  tell(maybeSent, say)
  if (!lift) {
    say('When you have looked: npm run doctor -- --after-restore --lift')
    return
  }
  if (await isToMovePeople(pool))
    throw new Problem(`${FIRST_MOVE_PEOPLE} Start a worker where none runs, and ask once more.`)
  const emails = maybeSent.reduce((sum, one) => sum + one.emails, 0)
  const question = `Let sending go on? Of the ${emails} emails above, those that still wait will be sent, also where they were sent before.`
  if (!yes && !(await isConfirmed(question))) {
    say('Nothing was changed; sending stays held.')
    return
  }
  await liftHold(pool, userInfo().username)
  say('Sending goes on.')
}

const DOUBTS: Record<MaybeSent['doubt'], string> = {
  IN_BETWEEN: 'was planned in between: likely sent',
  BEFORE: 'was due before that and still waited: possibly sent',
  HELD: 'was with a worker: likely sent',
  NOT_PLANNED: 'people who were due to move on, and whose next email is not planned yet: possibly sent',
}

function tell(maybeSent: readonly MaybeSent[], say: Say): void {
  if (maybeSent.length === 0) {
    say('Nothing that waits here could have been sent in between.')
    return
  }
  say('What waits here and may have been sent by the server that is gone:')
  for (const { workspace, campaign, mailbox, doubt, emails, from, to } of maybeSent) {
    say(`  ${workspace} / ${campaign ?? 'transactional email'} / ${mailbox}: ${emails}`)
    say(`    ${DOUBTS[doubt]} (${stamp(from)} to ${stamp(to)})`)
  }
  say(
    'Compare with the Sent folders of these mailboxes. What was sent, cancel on the email queue page before you go on.',
  )
}

function lastSign(at: Date | null): string {
  return at ? `The last sign of sending in the data is of ${stamp(at)}.` : 'The data holds no sign of sending.'
}

function stamp(at: Date): string {
  return at.toISOString().replace('T', ' ').slice(0, 19).concat(' UTC')
}

async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new Problem(
      'Nobody is here to ask. To let sending go on all the same: npm run doctor -- --after-restore --lift --yes',
    )
  const prompt = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `)).trim())
  } finally {
    prompt.close()
  }
}
