import { createHash } from 'node:crypto'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { PlanningMailbox } from './planning-mailboxes.ts'

export type PlanLock = { version: number; serial: number; basis: string }

/**
 * The workspace's plan is ours until the transaction ends: batches of several campaigns, and planning again, take
 * their turns here. It is the first lock that they take.
 */
export async function lockPlan(tx: Sql, workspaceId: string): Promise<PlanLock> {
  await tx.query(
    `INSERT INTO workspace_plans (workspace_id, basis) VALUES ($1, '') ON CONFLICT (workspace_id) DO NOTHING`,
    [workspaceId],
  )
  const { rows } = await tx.query<PlanLock>(
    'SELECT version, serial, basis FROM workspace_plans WHERE workspace_id = $1 FOR UPDATE',
    [workspaceId],
  )
  const lock = rows[0]
  if (!lock) throw new Error(`the plan of workspace ${workspaceId} went away under its lock`)
  return lock
}

/**
 * What the plan rests on. Where it is another than the stored one, somebody changed settings or a mailbox, and what
 * waits is planned again: seen by comparison, so that no change can be forgotten, whoever makes it and wherever it dies.
 */
export function basisOf(settings: SendingSettings, mailboxes: readonly PlanningMailbox[]): string {
  const relied = mailboxes.map(({ id, dailyLimit, rollingLimit, deferredUntilMs }) => [
    id,
    dailyLimit,
    rollingLimit,
    deferredUntilMs,
  ])
  return createHash('sha256')
    .update(JSON.stringify([settings, relied]))
    .digest('base64url')
}

/** Answers the version that now counts: the next one where the basis has changed, unless there was no plan before. */
export async function settleBasis(tx: Sql, workspaceId: string, lock: PlanLock, basis: string): Promise<number> {
  if (lock.basis === basis) return lock.version
  const version = lock.basis === '' ? lock.version : lock.version + 1
  await tx.query('UPDATE workspace_plans SET basis = $2, version = $3 WHERE workspace_id = $1', [
    workspaceId,
    basis,
    version,
  ])
  return version
}

export async function raiseSerial(tx: Sql, workspaceId: string): Promise<number> {
  const { rows } = await tx.query<{ serial: number }>(
    'UPDATE workspace_plans SET serial = serial + 1 WHERE workspace_id = $1 RETURNING serial',
    [workspaceId],
  )
  return rows[0]?.serial ?? 0
}
