import { z } from 'zod'
import { PublicError } from '#lib/platform/api-response.ts'
import { route } from '#lib/platform/route.ts'

/** Programs ask here: also for an address that does not exist they get the envelope, and no page. */
const nowhere = route({ summary: 'What answers at every other address.', output: z.never() }, async () => {
  throw new PublicError(404, 'no-such-address', 'The API has nothing at this address.')
})

export { nowhere as DELETE, nowhere as GET, nowhere as PATCH, nowhere as POST, nowhere as PUT }
