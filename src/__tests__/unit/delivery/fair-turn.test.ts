import { describe, expect, test } from 'vitest'
import { Lanes, type Standing } from '#lib/delivery/lanes.ts'
import { type Granted, Permits } from '#lib/delivery/permits.ts'

/** Servers that hang, and a mailbox that was never tried. */

describe('of the permits to hand over', () => {
  const granted: string[] = []
  const ask = async (permits: Permits, mailboxId: string, standing: Standing, wanted = 1): Promise<Granted> => {
    const given = await permits.take({ mailboxId, standing }, wanted)
    granted.push(mailboxId)
    return given
  }
  const settled = () => new Promise((next) => setImmediate(next))

  test('mailboxes that have hung leave one to a mailbox that was never tried, which so waits for none of them', async () => {
    granted.splice(0)
    const permits = new Permits(10)
    for (let index = 0; index < 9; index += 1) void ask(permits, `hung-${index}`, 'failed')
    await settled()
    expect(granted).toEqual(['hung-0', 'hung-1', 'hung-2', 'hung-3'])
    void ask(permits, 'new', 'untried')
    void ask(permits, 'healthy', 'proven')
    await settled()
    expect(granted.slice(4)).toEqual(['new', 'healthy'])
  })

  test('where all are taken by mailboxes that turn out to hang, the next that was never tried goes before those that have hung', async () => {
    granted.splice(0)
    const permits = new Permits(4)
    const first = await ask(permits, 'a', 'untried')
    await ask(permits, 'b', 'untried')
    void ask(permits, 'hung', 'failed')
    void ask(permits, 'new', 'untried')
    await settled()
    expect(granted).toEqual(['a', 'b'])
    first.giveBack(1)
    await settled()
    expect(granted).toEqual(['a', 'b', 'new'])
  })

  test('one that was never tried finds out with one, however many it has ready, so that it may hang and hold up no other', async () => {
    granted.splice(0)
    const permits = new Permits(10)
    const standings = new Map<string, Standing>([['batch', 'untried']])
    const seeker = {
      mailboxId: 'batch',
      get standing() {
        return standings.get('batch') ?? 'untried'
      },
    }
    const first = await permits.take(seeker, 10)
    expect(first.count).toBe(1)
    const second = permits.take(seeker, 10)
    const others = await Promise.all(['a', 'b', 'c'].map((mailboxId) => ask(permits, mailboxId, 'untried', 10)))
    expect(others.map(({ count }) => count)).toEqual([1, 1, 1])
    // What is proven by then holds for what waits already, and gives back what it had been given.
    standings.set('batch', 'proven')
    first.giveBack(1)
    expect((await second).count).toBeGreaterThan(1)
    for (const other of others) other.giveBack(1)
    ;(await second).giveBack((await second).count)
    expect((await permits.take({ mailboxId: 'last', standing: 'proven' }, 10)).count).toBe(10)
  })

  test('those that have hung still find out, also with a single permit and beside many that work', async () => {
    granted.splice(0)
    const permits = new Permits(1)
    const one = await ask(permits, 'works', 'proven')
    void ask(permits, 'hung', 'failed')
    void ask(permits, 'works', 'proven')
    one.giveBack(1)
    await settled()
    expect(granted).toEqual(['works', 'hung'])
  })
})

describe('of what may be claimed', () => {
  test('mailboxes that have failed leave a part to those that were never tried', () => {
    const lanes = new Lanes(5)
    const claim = (mailboxId: string) => {
      if (lanes.room(mailboxId) === 0) return false
      lanes.claimed(mailboxId, 1)
      return true
    }
    const hung = Array.from({ length: 40 }, (_, index) => `hung-${index}`)
    for (const id of hung) lanes.failed(id)
    expect(hung.filter(claim)).toHaveLength(15)
    const { except, only } = lanes.closed()
    expect(except.toSorted()).toEqual(hung.toSorted())
    expect(only).toBeNull()
    expect(claim('new')).toBe(true)
    lanes.answered('new')
    expect(lanes.standing('new')).toBe('proven')
    expect(lanes.room('new')).toBeGreaterThan(0)
    lanes.landed('hung-0', 1)
    lanes.answered('hung-0')
    expect(lanes.standing('hung-0')).toBe('proven')
    expect(claim('hung-30')).toBe(true)
  })
})
