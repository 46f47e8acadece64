import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { InFlight } from '#lib/delivery/in-flight.ts'
import { Lanes } from '#lib/delivery/lanes.ts'
import { untilOpen } from '#lib/worker/until-open.ts'

const NEVER = new Promise<void>(() => undefined)

/** A mailbox that may have ten in flight and as many made ready, and has; each is landed by hand. */
function fullMailbox() {
  const lanes = new Lanes(10)
  for (let answers = 0; answers < 10; answers += 1) lanes.answered('busy')
  const inFlight = new InFlight()
  const landings: (() => void)[] = []
  inFlight.add(
    20,
    (landed) => new Promise(() => landings.push(() => landed(1))),
    (count) => lanes.landed('busy', count),
  )
  lanes.claimed('busy', 20)
  return { lanes, inFlight, land: () => landings[0]?.() }
}

async function lookedAgain({ lanes, inFlight }: ReturnType<typeof fullMailbox>, openings: number, time = NEVER) {
  let hasLooked = false
  void untilOpen(lanes, openings, () => inFlight.next(), time).then(() => {
    hasLooked = true
  })
  await sleep(0)
  return () => sleep(0).then(() => hasLooked)
}

test('the database is asked again once there is room for half of the connections, and not for each email that lands', async () => {
  const mailbox = fullMailbox()
  const asks = await lookedAgain(mailbox, mailbox.lanes.openings)
  for (let landed = 0; landed < 4; landed += 1) {
    mailbox.land()
    expect(await asks()).toBe(false)
  }
  mailbox.land()
  expect(await asks()).toBe(true)
})

test('a landing at a mailbox that was not full is looked at, also where it came while the database was being asked', async () => {
  const mailbox = fullMailbox()
  mailbox.lanes.claimed('paced', 1)
  const { openings } = mailbox.lanes
  mailbox.lanes.landed('paced', 1)
  expect(await (await lookedAgain(mailbox, openings))()).toBe(true)
})

test('where nothing lands, it is asked when the time is over', async () => {
  let end: () => void = () => undefined
  const time = new Promise<void>((resolve) => {
    end = resolve
  })
  const mailbox = fullMailbox()
  const asks = await lookedAgain(mailbox, mailbox.lanes.openings, time)
  expect(await asks()).toBe(false)
  end()
  expect(await asks()).toBe(true)
})
