import { system } from '#lib/contract/system.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { PromiseWatch } from '#lib/operations/promise/promise-watch.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { route } from '#lib/platform/http/route.ts'
import { keyring } from '#lib/wiring/keyring.ts'
import { OwnMail } from '#lib/wiring/own-mail.ts'
import { senderOf } from '#lib/wiring/sender.ts'
import { sendingMeans } from '#lib/wiring/sending-means.ts'
import { tellMember } from '#lib/wiring/tell-member.ts'
import { makeCourier } from '#lib/wiring/webhooks.ts'
import { checkCronSecret } from '#lib/worker/cron-secret.ts'
import { claimingTime, planningTime, sendingLimits, tellingTime } from '#lib/worker/sending-limits.ts'
import { runTick } from '#lib/worker/tick.ts'
import { Witness } from '#lib/worker/witness.ts'

export const dynamic = 'force-dynamic'
export const maxDuration = 300

export const GET = route(system.tick, async ({ request, log }) => {
  // The platform ends the function after so long, whatever it does.
  const life = new Deadline(maxDuration * 1000)
  const verdict = checkCronSecret(request.headers.get('authorization'), process.env.CRON_SECRET)
  if (verdict === 'not-configured') {
    throw new PublicError(
      503,
      'cron-secret-missing',
      'CRON_SECRET is not set, or is shorter than 16 characters; no tick runs until it is.',
    )
  }
  if (verdict === 'wrong') {
    throw new PublicError(
      401,
      'unauthorised',
      'This address is for cron: send Authorization: Bearer with the value of CRON_SECRET.',
    )
  }
  const pool = database()
  const means = sendingMeans(pool, keyring(), env().APP_URL)
  const sender = senderOf(env(), pool, 'cron', log, means, sendingLimits(env(), life))
  const sending = { sender, time: claimingTime(env(), life), endsWithTick: true }
  const { WITNESS_DIR } = env()
  const witness = WITNESS_DIR === undefined ? undefined : Witness.of(pool, WITNESS_DIR, log)
  return runTick(pool, 'cron', log, {
    witness,
    planning: planningTime(life),
    promise: PromiseWatch.of(pool, log),
    ownMail: OwnMail.of(pool, log),
    tellMember,
    webhooks: { courier: makeCourier(pool, keyring(), log), time: tellingTime(life) },
    sending,
  })
})
