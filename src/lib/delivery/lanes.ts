/** What a mailbox may have claimed before its server has taken anything: enough to find out. */
const UNPROVEN_MAX = 1
/** Mailboxes that may find out at the same time: claims and connections that hang cost others nothing. */
const UNPROVEN_AT_ONCE = 4
/** Lanes of mailboxes that rest are forgotten beyond this: a lane that is opened again begins small. */
const LANES_MAX = 2_000

/** Of the budget of those that have not proven themselves, the part that those may take whose last try has failed. */
const FAILED_SHARE = 3 / 4

/** Whether its server has answered to a hand-over, as far as this process knows; `failed` where it has not, or refused us. */
export type Standing = 'untried' | 'proven' | 'failed'

type Lane = { most: number; claimed: number; standing: Standing }

/**
 * How many emails each mailbox may have claimed at once: few until its server has taken some, twice as many with each
 * round that it takes, and one again when it falls silent or refuses us. All mailboxes that have not proven themselves
 * share a budget of their own, so that servers that hang cannot take what the healthy ones need; and of that, those that
 * have failed leave a part to those that were never tried, so that a new mailbox waits for none of them.
 */
export class Lanes {
  readonly #connections: number
  readonly #unprovenMax: number
  readonly #lanes = new Map<string, Lane>()
  readonly #claimed: Record<Standing, number> = { untried: 0, proven: 0, failed: 0 }
  /** How often something has landed that may leave room for more: at its own mailbox, or in the budget of the unproven. */
  openings = 0

  constructor(connections: number) {
    this.#connections = connections
    this.#unprovenMax = Math.max(20, UNPROVEN_AT_ONCE * connections)
  }

  /** How many more may be claimed for this mailbox now. */
  room(mailboxId: string): number {
    const lane = this.#lanes.get(mailboxId) ?? fresh()
    if (lane.standing !== 'proven')
      return Math.max(0, Math.min(lane.most - lane.claimed, this.#unprovenRoom(lane.standing)))
    // As many again are made ready while the connections are busy: each waits for one that is about to be free.
    return Math.max(0, Math.min(this.#connections, 2 * lane.most - lane.claimed, this.#provenRoom()))
  }

  standing(mailboxId: string): Standing {
    return this.#lanes.get(mailboxId)?.standing ?? 'untried'
  }

  /** Which mailboxes a claim has to leave out, and whether it may take those only that have proven themselves. */
  closed(): { except: string[]; only: string[] | null; isAll: boolean } {
    const proven = [...this.#lanes].filter(([, { standing }]) => standing === 'proven')
    const isUnprovenFull = this.#unprovenRoom('untried') <= 0
    const except = [...this.#lanes].filter(([id, lane]) => !this.#isOpen(id, lane))
    return {
      except: except.map(([id]) => id),
      only: isUnprovenFull ? proven.map(([id]) => id) : null,
      isAll: this.#isProvenFull() && isUnprovenFull,
    }
  }

  claimed(mailboxId: string, count: number): void {
    const lane = this.#lane(mailboxId)
    lane.claimed += count
    this.#add(lane, count)
  }

  landed(mailboxId: string, count: number): void {
    const lane = this.#lane(mailboxId)
    lane.claimed -= count
    this.#add(lane, -count)
    if (count > 0 && (lane.standing !== 'proven' || this.#isOpen(mailboxId, lane))) this.openings += 1
  }

  /** Its server has answered to what it was handed. */
  answered(mailboxId: string): void {
    const lane = this.#lane(mailboxId)
    this.#become(lane, 'proven')
    lane.most = Math.min(this.#connections, lane.most + 1)
  }

  /** Its server did not let us in, or did not answer. */
  failed(mailboxId: string): void {
    const lane = this.#lane(mailboxId)
    this.#become(lane, 'failed')
    lane.most = 1
  }

  #isOpen(mailboxId: string, { standing }: Lane): boolean {
    return !(standing === 'proven' && this.#isProvenFull()) && this.room(mailboxId) > 0
  }

  /** A claim costs the same for many as for one, so none is made for a few. */
  #isProvenFull(): boolean {
    return this.#provenRoom() < Math.ceil(this.#connections / 2)
  }

  #provenRoom(): number {
    return 2 * this.#connections - this.#claimed.proven
  }

  #unprovenRoom(standing: 'untried' | 'failed'): number {
    const { untried, failed } = this.#claimed
    const room = this.#unprovenMax - untried - failed
    return standing === 'untried' ? room : Math.min(room, Math.floor(this.#unprovenMax * FAILED_SHARE) - failed)
  }

  #lane(mailboxId: string): Lane {
    const lane = this.#lanes.get(mailboxId) ?? fresh()
    this.#lanes.set(mailboxId, lane)
    if (this.#lanes.size > LANES_MAX) this.#forgetIdle()
    return lane
  }

  #forgetIdle(): void {
    for (const [id, lane] of this.#lanes) {
      if (this.#lanes.size <= LANES_MAX / 2) return
      if (lane.claimed === 0) this.#lanes.delete(id)
    }
  }

  #become(lane: Lane, standing: Standing): void {
    this.#add(lane, -lane.claimed)
    lane.standing = standing
    this.#add(lane, lane.claimed)
  }

  #add({ standing }: Lane, count: number): void {
    this.#claimed[standing] += count
  }
}

const fresh = (): Lane => ({ most: UNPROVEN_MAX, claimed: 0, standing: 'untried' })
