import { z } from 'zod'
import { database, inTransaction } from '#lib/platform/database.ts'
import { route } from '#lib/platform/route.ts'
import { timeZoneSchema } from '#lib/platform/time-zone.ts'
import { createFirstOwner, isFirstRun } from '#lib/tenancy/first-run.ts'
import { emailSchema, passwordSchema, personNameSchema, workspaceNameSchema } from '#lib/tenancy/person.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { signIn } from '#lib/tenancy/sign-in.ts'
import { limitByAddress } from '../limit.ts'
import { DONE, done } from '../schemas.ts'
import { auth } from '../services.ts'
import { originOf } from '../workspace-route.ts'

export const GET = route(
  {
    summary: 'Whether nobody is here yet, so that the first owner signs up.',
    output: z.object({ needed: z.boolean() }),
  },
  async () => ({ needed: await isFirstRun(database()) }),
)

export const POST = route(
  {
    summary: 'Signs up the first owner with a first workspace; refused once anybody is here.',
    body: z.object({
      name: personNameSchema,
      email: emailSchema,
      password: passwordSchema,
      workspaceName: workspaceNameSchema,
      timeZone: timeZoneSchema.default('UTC'),
    }),
    output: done,
  },
  async (input) => {
    const { name, email, password, workspaceName, timeZone } = input.body
    await limitByAddress(input, LIMITS.setupByAddress)
    const origin = originOf(input)
    const passwordHash = await (await auth().$context).password.hash(password)
    await inTransaction(database(), (tx) =>
      createFirstOwner(tx, { name, email, passwordHash }, { name: workspaceName, timeZone }, origin),
    )
    await signIn(auth(), database(), { email, password }, origin, input.responseHeaders)
    return DONE
  },
)
