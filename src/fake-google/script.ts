/** The calls that a fault can meet. */
const OPERATIONS = [
  ...['token', 'revoke', 'profile', 'drafts.create', 'drafts.get', 'drafts.list', 'drafts.send', 'drafts.delete'],
  ...['messages.send', 'messages.get', 'messages.list', 'threads.get', 'history.list'],
] as const

/** What goes wrong with a call. `acts`: it has done what was asked for before it does. */
export type Fault = {
  /** So long nothing happens to the call: it does what it can do then. */
  lateMs?: number
  delayMs?: number
  acts?: boolean
  answer?: { status: number; reason?: string; message?: string; retryAfter?: string; body?: string }
  /** `reset`: the connection; `truncate`: the answer, in its middle; `hang`: no answer; `trickle`: a beginning of one. */
  ending?: 'reset' | 'truncate' | 'hang' | 'trickle'
}

/** Met by the calls of this kind, of one account or of all, so many times or always. */
export type Rule = Fault & { op: (typeof OPERATIONS)[number]; email?: string; times?: number }

export type Play = {
  rules?: Rule[]
  /** What was sent less long ago is not found by a search yet. */
  indexMs?: number
  accessSeconds?: number
  /** Each renewal gives another refresh token, and the old one is good no more. */
  rotates?: boolean
  unitsPerMinute?: number
  sendsPerDay?: number
  /** Deleting a draft that was sent, or sending one that was deleted, does what Gmail does not do. */
  isFenceBroken?: boolean
}

export class Script {
  play: Required<Omit<Play, 'rules' | 'sendsPerDay'>> & Pick<Play, 'sendsPerDay'> = {
    ...{ indexMs: 0, accessSeconds: 3_599, rotates: false, unitsPerMinute: 6_000, isFenceBroken: false },
  }
  #rules: Rule[] = []

  /** From now on. What it does not name goes back to how Google is. */
  set({ rules = [], ...play }: Play): void {
    this.#rules = rules.map((rule) => ({ ...rule }))
    this.play = {
      ...{ indexMs: 0, accessSeconds: 3_599, rotates: false, unitsPerMinute: 6_000, isFenceBroken: false },
      ...play,
    }
  }

  meet(op: string, email: string | undefined): Fault | undefined {
    const rule = this.#rules.find(
      (each) => each.op === op && (each.email ?? email) === email && (each.times ?? Number.POSITIVE_INFINITY) > 0,
    )
    if (rule?.times !== undefined) rule.times -= 1
    return rule
  }
}
