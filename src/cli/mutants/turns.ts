import { integration, type Mutant, QUEUE, unit } from './mutant.ts'

const DOMAIN_TROUBLE = 'worker/domain-trouble'

/** Who waits for whom, and whom trouble may hold up. */
export const TURNS: readonly Mutant[] = [
  {
    name: 'who finishes enrolments looks before it locks',
    file: 'src/lib/campaigns/finish.ts',
    find: "  await tx.query('SELECT FROM campaign_prospects WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE', [ids])\n",
    becomes: '',
    test: integration(
      'campaigns/restored',
      'an email that is restored while its enrolment is being finished keeps it active',
    ),
  },
  {
    name: 'a worker whose time is over blames the server',
    file: 'src/lib/delivery/deliver.ts',
    find: '      if (open.length === 0 && beginning.leftMs() === 0) return await giveBackAll(delivery, ready, OUT_OF_TIME)\n',
    becomes: '',
    test: integration(
      'worker/mailbox-trouble',
      'a worker that is told to stop while it connects blames no server: the mailbox does not pause, and its emails go back',
    ),
  },
  {
    name: 'a worker that stood still blames the server',
    file: 'src/lib/delivery/deliver.ts',
    find: `      if (open.length === 0 && refused?.code === 'WORKER_STALLED') return await giveBackAll(delivery, ready, refused)\n`,
    becomes: '',
    test: integration(
      'worker/mailbox-trouble',
      'a worker that stood still while it connected blames no server: the mailbox does not pause, and its emails go out',
    ),
  },
  {
    name: 'a worker that cannot prepare takes the queue',
    file: 'src/lib/delivery/set-aside.ts',
    find: 'if (first) await withoutMailbox(delivery, mailbox, impossible, first.outcome)',
    becomes: 'if (first) await giveBackAll(delivery, impossible, first.outcome)',
    and: [
      {
        file: 'src/lib/delivery/set-aside.ts',
        find: 'import { settleUnmarked, withoutMailbox }',
        becomes: 'import { giveBackAll, settleUnmarked, withoutMailbox }',
      },
    ],
    test: integration(
      'worker/mailbox-trouble',
      'a worker that cannot prepare gives all back, lets the mailbox rest with a fault that is shown, and writes few attempts',
    ),
  },
  {
    name: 'a server that takes few connections is asked for more again and again',
    file: 'src/lib/delivery/connections.ts',
    find: 'if (kept.inUse > 0) kept.most =',
    becomes: 'if (kept.inUse < 0) kept.most =',
    test: integration(
      'worker/beside',
      'servers one that takes two connections is used with two, without a storm of refusals, and its mailbox does not pause',
    ),
  },
  {
    name: 'a hand-over begins although the time of its process is over',
    file: 'src/lib/delivery/deliver.ts',
    find: 'if (beginning.leftMs() === 0) {',
    becomes: 'if (ready.length === 0) {',
    // Asked once more after drafts were made, of which SMTP has none.
    and: [
      {
        file: 'src/lib/delivery/deliver.ts',
        find: 'if (delivery.beginning.leftMs() === 0) {',
        becomes: 'if (ready.length === 0) {',
      },
    ],
    test: integration(
      'worker/beside',
      'the time of a process a hand-over whose time passes while connecting does not begin, and the email goes back as it was',
    ),
  },
  {
    name: 'no run of hand-overs that go wrong makes a mailbox pause',
    file: `${QUEUE}/mailbox-faults.ts`,
    find: 'if (!row || row.inRow < BURNED_MAX || row.isPausing) return',
    becomes: 'if (!row || row.inRow >= 0 || row.isPausing) return',
    test: integration(
      'worker/mailbox-trouble',
      'nothing is answered after the hand-over the mailbox pauses after a few, tries one at a time, and stops before it has burned its campaign',
    ),
  },
  {
    name: 'mailboxes that have hung take what a new one needs',
    file: 'src/lib/delivery/permits.ts',
    find: 'Math.max(1, this.#half - 1)',
    becomes: 'Math.max(1, this.#half)',
    test: unit(
      'delivery/fair-turn',
      'of the permits to hand over mailboxes that have hung leave one to a mailbox that was never tried, which so waits for none of them',
    ),
  },
  {
    name: 'the end of a campaign holds all its enrolments at once',
    file: 'src/lib/campaigns/finish.ts',
    find: '    await finishAllIdle(pool, id)\n',
    becomes: '    if (id === undefined) await finishAllIdle(pool, id)\n',
    test: integration(
      'campaigns/closing',
      'is finished batch by batch, while people are enrolled in it and mailed by another',
    ),
  },
  {
    name: 'no run over the mailboxes of a domain makes them pause',
    file: `${QUEUE}/domain-faults.ts`,
    find: 'if (!run?.isTripped || run.isPausing) return',
    becomes: 'if (!run?.isTripped || run.inRow >= 0) return',
    test: integration(
      DOMAIN_TROUBLE,
      'where everything is blocked all mailboxes of the domain pause before each has burned its own, one email is tried for all, and then they stop',
    ),
  },
  {
    name: 'after a pause each mailbox of a domain tries an email',
    file: `${QUEUE}/claim.ts`,
    find: 'if (mailbox.isDomainBurned && !(await mayTryForDomain(tx, mailboxId))) return rest(now)\n',
    becomes: 'await mayTryForDomain(tx, mailboxId)\n',
    test: integration(DOMAIN_TROUBLE, 'however many claim at one moment, they get one email for the whole domain'),
  },
  {
    name: 'what begins at a time waits for the sending',
    file: 'src/lib/worker/tick.ts',
    find: 'const kept = upkeep.beside(sent, found)\n',
    becomes: 'const kept = sent.then(() => upkeep.beside(sent, found))\n',
    test: integration(
      'worker/beside',
      'beside sending a tick that has nothing to send waits for the start that comes within its time',
    ),
  },
  {
    name: 'an email is said to go now although others go before it',
    file: 'src/lib/email-scheduler/read/why-not-now.ts',
    find: 'places: [...before, ',
    becomes: 'places: [...before.slice(0, 0), ',
    test: integration(
      'email-scheduler/first-feasible',
      'at the time that is shown, and not before, an email is claimed that waits for its turn behind others, each with its pause',
    ),
  },
  {
    name: 'a time that a person chose is forgotten by the next plan',
    file: 'src/lib/email-scheduler/plan/chosen-times.ts',
    find: 'if (atMs === null || atMs <= this.#nowMs) return null',
    becomes: 'if (atMs === null || atMs > 0) return null',
    test: integration(
      'email-scheduler/reschedule',
      'a time that a person chose is kept by every plan when settings change: the others are planned around it, and what follows it from there',
    ),
  },
]
