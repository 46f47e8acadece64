import type { Standing } from './lanes.ts'

/** `standing` is asked when its turn comes: a mailbox may have proven itself while it waited. */
export type PermitSeeker = { readonly mailboxId: string; readonly standing: Standing }

/** What a mailbox finds out with. A batch that is handed over at once has many emails ready before that. */
const UNPROVEN_EACH = 1

type Waiting = { by: PermitSeeker; wanted: number; grant: (permits: Granted) => void }

export type Granted = { count: number; giveBack(count: number): void }

/**
 * How many emails may be handed over at once. First come, first served, but for three rules that keep servers that
 * hang from holding all of them: mailboxes that have not proven themselves share half, one for each; of that half, those
 * that have failed leave one to those that were never tried, and let them go first; and no mailbox holds more than half
 * while another wants some. Given out several at a time, since a mark costs the same for many as for one:
 * a batch waits until half of what it may have is free.
 */
export class Permits {
  readonly #count: number
  readonly #half: number
  readonly #failedMax: number
  #free: number
  #unproven = 0
  #failed = 0
  readonly #held = new Map<string, number>()
  #waiting: Waiting[] = []

  constructor(count: number) {
    this.#count = count
    this.#half = Math.ceil(count / 2)
    this.#failedMax = Math.max(1, this.#half - 1)
    this.#free = count
  }

  /** As many as are free for this mailbox, at least one and at most `wanted`. */
  take(by: PermitSeeker, wanted: number): Promise<Granted> {
    return new Promise((grant) => {
      this.#waiting.push({ by, wanted, grant })
      this.#serve()
    })
  }

  #serve(): void {
    const left: Waiting[] = []
    let isTurnOver = false
    for (const one of inTurn(this.#waiting)) {
      const allowed = Math.min(this.#allowed(one.by), one.wanted)
      const enough = Math.min(allowed, this.#half)
      const mayGo = allowed > 0 && !isTurnOver
      if (mayGo && this.#free >= enough) this.#grant(one, Math.min(this.#free, allowed))
      else left.push(one)
      // What waits for free permits goes before what came later; what waits for its own share holds up nobody.
      if (mayGo && this.#free < enough) isTurnOver = true
    }
    this.#waiting = left
  }

  /** Apart from what is free. */
  #allowed({ mailboxId, standing }: PermitSeeker): number {
    const held = this.#held.get(mailboxId) ?? 0
    const isAlone = this.#waiting.every(({ by }) => by.mailboxId === mailboxId)
    const ofMailbox = (isAlone ? this.#count : this.#half) - held
    if (standing === 'proven') return ofMailbox
    const ofUnproven = Math.min(ofMailbox, UNPROVEN_EACH - held, this.#half - this.#unproven)
    return standing === 'untried' ? ofUnproven : Math.min(ofUnproven, this.#failedMax - this.#failed)
  }

  #grant({ by, grant }: Waiting, count: number): void {
    // As it stands now: what is given back later was taken as this.
    const { mailboxId, standing } = by
    const held = (more: number) => {
      this.#free -= more
      this.#held.set(mailboxId, (this.#held.get(mailboxId) ?? 0) + more)
      if (this.#held.get(mailboxId) === 0) this.#held.delete(mailboxId)
      if (standing !== 'proven') this.#unproven += more
      if (standing === 'failed') this.#failed += more
    }
    held(count)
    grant({
      count,
      giveBack: (given) => {
        held(-given)
        this.#serve()
      },
    })
  }
}

/** As they came, but that of those that have not proven themselves the never tried take the first places. */
function inTurn(waiting: readonly Waiting[]): Waiting[] {
  const unproven = waiting.filter(({ by }) => by.standing !== 'proven')
  const places = [
    ...unproven.filter(({ by }) => by.standing === 'untried'),
    ...unproven.filter(({ by }) => by.standing === 'failed'),
  ].values()
  return waiting.map((one) => (one.by.standing === 'proven' ? one : (places.next().value ?? one)))
}
