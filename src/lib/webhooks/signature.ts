import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** As the Standard Webhooks specification writes secrets. */
export function newSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

export type Signed = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }

/**
 * The headers of one attempt: the id of the message, the moment of the attempt in seconds, and a signature by each secret,
 * two while one follows the other.
 */
export function sign(secrets: readonly string[], messageId: string, at: Date, body: string): Signed {
  const seconds = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${messageId}.${seconds}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': messageId, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') }
}

/** As receivers see it. */
export function webhookIdOf(id: string): string {
  return `msg_${id.replaceAll('-', '')}`
}
