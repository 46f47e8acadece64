import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { Deadline } from '#lib/mail/deadline.ts'
import { refusedWith } from '#lib/mail/smtp/smtp-refusal.ts'
import { clockFrom } from '#lib/platform/clock.ts'
import { accessToken, distrustAccess, type GmailMeans } from './access-token.ts'
import type { CallFailure } from './call-failure.ts'
import type { GmailAccount } from './gmail-account.ts'
import { GmailApi } from './gmail-api.ts'
import { refusalOfGmail, refusalUnsent, unknownAfter } from './gmail-refusal.ts'
import { type Abilities, abilitiesOf } from './scopes.ts'

/** One mailbox's way to the Gmail API, as long as its access token lasts. */
export type GmailLink = {
  api: GmailApi
  account: GmailAccount
  abilities: Abilities
  /** By drafts, and not directly. */
  usesDrafts: boolean
  now: () => Date
  isOver(): boolean
  /** What a call that did not go well means for a message that it would have sent. */
  outcomeOf(failure: CallFailure): Promise<SendOutcome>
  /** The same where the call sends nothing: undefined, where it is not known what came of it. */
  refusalIn(failure: CallFailure): Promise<Refused | undefined>
}

export type Linking = { ok: true; link: GmailLink } | { ok: false; outcome: Refused }

/** So long before the end of its token, a link is used for no further message. */
const MS_LEFT_MIN = 90_000

export async function openGmail(means: GmailMeans, mailboxId: string, deadline: Deadline): Promise<Linking> {
  const access = await accessToken(means, mailboxId, deadline.leftMs())
  if (!access.ok) return access
  const { account, token, msLeft, google } = access
  const abilities = abilitiesOf(account.scopes)
  if (!abilities.send) return { ok: false, outcome: MAY_NOT_SEND }
  return {
    ok: true,
    link: linkOf(await GmailApi.open(token, google.rootUrl), account, Math.max(msLeft, 2 * MS_LEFT_MIN), () =>
      distrustAccess(means, account),
    ),
  }
}

const MAY_NOT_SEND = refusedWith('TOKEN_EXPIRED', 'mailbox', {
  reason: 'The Google account does not grant sending. Connect the mailbox again, and leave the permissions ticked.',
})

/** `distrust` is called once Google has refused the token. */
export function linkOf(api: GmailApi, account: GmailAccount, msLeft: number, distrust: () => Promise<void>): GmailLink {
  const abilities = abilitiesOf(account.scopes)
  const now = clockFrom(account.now)
  const endsMs = performance.now() + msLeft - MS_LEFT_MIN
  let isRefused = false
  const refusalIn = async (failure: CallFailure): Promise<Refused | undefined> => {
    if (failure.kind === 'unclear') return undefined
    if (failure.kind !== 'refused') return refusalUnsent(failure)
    if (failure.status === 401) {
      isRefused = true
      await distrust()
    }
    return refusalOfGmail(failure, now())
  }
  return {
    ...{ api, account, abilities, now, refusalIn },
    usesDrafts: abilities.draft && account.fenceProvenAt !== null,
    isOver: () => isRefused || performance.now() > endsMs,
    outcomeOf: async (failure) =>
      failure.kind === 'unclear' ? unknownAfter(failure) : ((await refusalIn(failure)) as Refused),
  }
}
