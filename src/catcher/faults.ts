import type { SMTPServer } from 'smtp-server'

type Refusal = { code: number; text: string }

/** What the catcher does to a mail for an address that begins so, when it is started with `--faults`: a demo shows real faults. */
const REFUSALS: Record<string, Refusal> = {
  bounce: { code: 550, text: '5.1.1 No such mailbox here' },
  refuse: { code: 554, text: '5.6.0 This message is not wanted here' },
  busy: { code: 451, text: '4.3.2 Too busy at the moment, try again later' },
}

/** Busy servers take a mail at the second try. */
const busyOnce = new Set<string>()

export function refusalFor(address: string): Refusal | undefined {
  const kind = kindOf(address)
  if (kind === 'busy') {
    if (busyOnce.has(address)) return undefined
    busyOnce.add(address)
  }
  return REFUSALS[kind]
}

/** The whole message is here, and the line breaks before the answer: nobody can know whether it was taken. */
export function breaksAfterTheDot(address: string): boolean {
  return kindOf(address) === 'lost'
}

export function hangUp(smtp: SMTPServer, connectionId: string): void {
  for (const connection of smtp.connections) if (connection.id === connectionId) connection.close()
}

const LOGINS_OF_EXPIRING = 6
let expiringLogins = 0

/** The user `expires` has a password that is good for a few times, and is refused from then on. */
export function isLockedOut(username: string | undefined): boolean {
  if (username === undefined || kindOf(username) !== 'expires') return false
  expiringLogins += 1
  return expiringLogins > LOGINS_OF_EXPIRING
}

function kindOf(address: string): string {
  return address.split(/[.@+]/)[0] ?? ''
}
