import { setup } from '#lib/contract/session.ts'
import { DONE } from '#lib/contract/shared.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { route } from '#lib/platform/http/route.ts'
import { createFirstOwner, isFirstRun } from '#lib/tenancy/people/first-run.ts'
import { signIn } from '#lib/tenancy/people/sign-in.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { auth } from '#lib/wiring/auth.ts'
import { limitByAddress } from '../limit.ts'
import { originOf } from '../workspace-route.ts'

export const GET = route(setup.read, async () => ({ needed: await isFirstRun(database()) }))

export const POST = route(setup.signUp, async (input) => {
  const { name, email, password, workspaceName, timeZone } = input.body
  await limitByAddress(input, LIMITS.setupByAddress)
  const origin = originOf(input)
  const passwordHash = await (await auth().$context).password.hash(password)
  await inTransaction(database(), (tx) =>
    createFirstOwner(tx, { name, email, passwordHash }, { name: workspaceName, timeZone }, origin),
  )
  await signIn(auth(), database(), { email, password }, origin, input.responseHeaders)
  return DONE
})
