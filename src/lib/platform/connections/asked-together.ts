import { setImmediate as nextTurn } from 'node:timers/promises'

export type Round<Ask, Answer> = (asks: Ask[]) => Promise<readonly Answer[]>

type Waiting<Ask, Answer> = {
  ask: Ask
  round: Round<Ask, Answer>
  done: (answer: Answer) => void
  failed: (error: unknown) => void
}

/**
 * What many callers ask of Postgres one by one, asked for several of them in one statement: those that come in the same
 * turn of the event loop go together, and those that come while they are under way go in the next round. So a thousand
 * callers cost a few rounds, one alone waits for nobody, and none is told what is older than its question.
 */
export class AskedTogether<Ask, Answer> {
  readonly #shareOf: (ask: Ask) => number
  /** By name, where a round is under way. */
  readonly #waiting = new Map<string, Waiting<Ask, Answer>[]>()

  /** `shareOf`: how much of a round one takes up, where many would make too large a statement. */
  constructor(shareOf: (ask: Ask) => number = () => 0) {
    this.#shareOf = shareOf
  }

  /**
   * `round` answers all of its questions, in their order. Questions of one name wait for each other and go together, by
   * the round of any of them: the same name must mean the same.
   */
  of(name: string, ask: Ask, round: Round<Ask, Answer>): Promise<Answer> {
    return new Promise((done, failed) => {
      const one = { ask, round, done, failed }
      const waiting = this.#waiting.get(name)
      if (waiting) waiting.push(one)
      else void this.#work(name, one)
    })
  }

  async #work(name: string, first: Waiting<Ask, Answer>): Promise<void> {
    const waiting = [first]
    this.#waiting.set(name, waiting)
    await nextTurn()
    while (waiting[0]) {
      const { round } = waiting[0]
      const group = waiting.splice(0, this.#countNext(waiting))
      try {
        const answers = await round(group.map(({ ask }) => ask))
        group.forEach(({ done }, index) => {
          done(answers[index] as Answer)
        })
      } catch (error) {
        for (const { failed } of group) failed(error)
      }
    }
    this.#waiting.delete(name)
  }

  #countNext(waiting: readonly Waiting<Ask, Answer>[]): number {
    let share = 0
    const tooMuch = waiting.findIndex(({ ask }, index) => {
      share += this.#shareOf(ask)
      return index > 0 && share > 1
    })
    return tooMuch === -1 ? waiting.length : tooMuch
  }
}

/** Where all who ask by one name are told the same, such as whatever any of them asked for. */
export function sameForAll<Ask, Answer>(answerOf: (asks: Ask[]) => Promise<Answer>): Round<Ask, Answer> {
  return async (asks) => {
    const answer = await answerOf(asks)
    return asks.map(() => answer)
  }
}
