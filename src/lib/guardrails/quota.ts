import { calculateRampUpQuota } from './ramp-up.ts'
import type { SendingSettings } from './settings.ts'

/** What has been sent or is reserved, as counted for one mailbox and its workspace. */
export type QuotaUse = {
  workspaceToday: number
  mailboxToday: number
  /** Distinct local dates before today on which the mailbox sent. */
  sentDatesBefore: number
  inLast24Hours: number
}

export type MailboxLimits = { dailyLimit: number; rollingLimit: number }

/** The most that the mailbox may send on one date, warming up included. */
export function limitOfMailbox(
  settings: SendingSettings,
  { dailyLimit }: MailboxLimits,
  sentDatesBefore: number,
): number {
  if (!settings.rampUpEnabled) return dailyLimit
  return Math.min(dailyLimit, calculateRampUpQuota(settings, sentDatesBefore + 1))
}

/** How many more may leave through the mailbox now: the smallest of the workspace's quota, its own limit and its rolling 24 hours. */
export function getRemainingQuota(settings: SendingSettings, mailbox: MailboxLimits, used: QuotaUse): number {
  return Math.max(
    0,
    Math.min(
      settings.dailyQuota - used.workspaceToday,
      limitOfMailbox(settings, mailbox, used.sentDatesBefore) - used.mailboxToday,
      mailbox.rollingLimit - used.inLast24Hours,
    ),
  )
}
