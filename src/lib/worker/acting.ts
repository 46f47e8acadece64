import { bothOf, type CarriedOut, runDueActions } from '#lib/actions/run/run-actions.ts'
import type { ActionMeans } from '#lib/actions/run/tell-member.ts'

type MayContinue = () => boolean

/** What a tick carries actions out with, whatever stands between finding and doing. */
export type Acting = {
  /** Starts and ends of campaigns, where nothing slow stands before them; else they go with the rest. */
  startAndEnd(mayContinue: MayContinue): Promise<void>
  /** Everything that is due, until nothing of it is under way. */
  actDue(mayContinue: MayContinue): Promise<void>
  /** What has been carried out here since this was asked last. */
  takeCarriedOut(): CarriedOut
}

/** Claimed and carried out by the same process. */
export function actDirectly(means: ActionMeans): Acting {
  let carriedOut: CarriedOut = { started: 0, done: 0 }
  const run = async (of: 'campaigns' | 'people', mayContinue: MayContinue) => {
    carriedOut = bothOf(carriedOut, await runDueActions(means, of, mayContinue))
  }
  return {
    startAndEnd: (mayContinue) => run('campaigns', mayContinue),
    actDue: (mayContinue) => run('people', mayContinue),
    takeCarriedOut: () => {
      const taken = carriedOut
      carriedOut = { started: 0, done: 0 }
      return taken
    },
  }
}
