import { z } from 'zod'
import { verbRoute } from '../../act-on-one.ts'
import { instant } from '../../schemas.ts'

export const POST = verbRoute(
  'Gives an email that waits another time: that one, or the next at which the sending window is open. Limits and pauses still hold.',
  ({ at }) => ({ action: 'reschedule', at }),
  z.object({ at: instant }),
)
