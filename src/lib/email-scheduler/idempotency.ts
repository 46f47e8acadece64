import { createHash } from 'node:crypto'

export const IDEMPOTENCY_SEPARATOR = ':'

/** The first part of every transactional key. No campaign key can begin with it: as a prospect's id it is refused. */
const TRANSACTIONAL_PREFIX = 'tx'

export type IdempotencyKey =
  | { kind: 'CAMPAIGN'; prospectId: string; sequenceId: string; stepNumber: number }
  | { kind: 'TRANSACTIONAL'; workspaceId: string; hash: string }

/** The key of a campaign email: one prospect gets one step of one sequence once, whatever campaign asks for it. */
export function generateIdempotencyKey(prospectId: string, sequenceId: string, stepNumber: number): string {
  assertId('prospect id', prospectId)
  assertId('sequence id', sequenceId)
  if (prospectId === TRANSACTIONAL_PREFIX) {
    throw new Error(`The prospect id must not be "${TRANSACTIONAL_PREFIX}": transactional keys begin so.`)
  }
  if (!Number.isSafeInteger(stepNumber) || stepNumber < 1) {
    throw new Error(`The step number must be a positive whole number, not ${stepNumber}.`)
  }
  return [prospectId, sequenceId, stepNumber].join(IDEMPOTENCY_SEPARATOR)
}

/** The key of a transactional email. The caller's own key is hashed, so that none can collide with another workspace's or a campaign's. */
export function generateTransactionalKey(workspaceId: string, callerKey: string): string {
  assertId('workspace id', workspaceId)
  if (callerKey.trim() === '') throw new Error('The caller’s key must not be empty.')
  const hash = createHash('sha256').update(callerKey).digest('hex')
  return [TRANSACTIONAL_PREFIX, workspaceId, hash].join(IDEMPOTENCY_SEPARATOR)
}

/** Takes apart exactly what the two functions above put together, and refuses everything else. */
export function parseIdempotencyKey(key: string): IdempotencyKey {
  const [first, second, third, ...rest] = key.split(IDEMPOTENCY_SEPARATOR)
  if (first === undefined || second === undefined || third === undefined || rest.length > 0) {
    throw new Error(`An idempotency key has three parts, separated by "${IDEMPOTENCY_SEPARATOR}": "${key}".`)
  }
  if (first === TRANSACTIONAL_PREFIX) {
    assertId('workspace id', second)
    if (!/^[0-9a-f]{64}$/.test(third)) throw new Error(`A transactional key ends with a SHA-256 hash: "${key}".`)
    return { kind: 'TRANSACTIONAL', workspaceId: second, hash: third }
  }
  assertId('prospect id', first)
  assertId('sequence id', second)
  const stepNumber = Number(third)
  if (!/^[1-9]\d*$/.test(third) || !Number.isSafeInteger(stepNumber)) {
    throw new Error(`The step number must be a positive whole number, not "${third}".`)
  }
  return { kind: 'CAMPAIGN', prospectId: first, sequenceId: second, stepNumber }
}

function assertId(name: string, id: string): void {
  if (id === '') throw new Error(`The ${name} must not be empty.`)
  if (/\s/.test(id)) throw new Error(`The ${name} must not contain white space: "${id}".`)
  if (id.includes(IDEMPOTENCY_SEPARATOR)) {
    throw new Error(`The ${name} must not contain "${IDEMPOTENCY_SEPARATOR}": "${id}".`)
  }
}
