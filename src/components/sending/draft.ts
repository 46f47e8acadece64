import type { Received, Sent } from '#lib/contract/over-the-wire.ts'
import { delaysAsText, delaysIn } from './delays.ts'

export type Settings = Received<'GET /api/settings/sending'>
export type Wishes = Sent<'PUT /api/settings/sending'>['body']

/** The settings as a person edits them: what is typed stays as it is typed. */
export interface Draft {
  timeZone: string
  sendingDays: number[]
  windowStartMinute: number
  windowEndMinute: number
  daysOff: string[]
  dailyQuota: string
  rampUpEnabled: boolean
  rampUpStart: string
  rampUpIncrement: string
  jitterMinSeconds: string
  jitterMaxSeconds: string
  retryPolicy: Settings['retryPolicy']
  retryDelays: string
  postalAddress: string
  /** Of the settings that it began from. */
  version: number
}

export function draftOf(settings: Settings, postalAddress: string): Draft {
  return {
    // The one that waits for its midnight is what was wished last.
    timeZone: settings.nextTimeZone ?? settings.timeZone,
    sendingDays: [...settings.sendingDays],
    windowStartMinute: settings.windowStartMinute,
    windowEndMinute: settings.windowEndMinute,
    daysOff: [...settings.daysOff],
    dailyQuota: String(settings.dailyQuota),
    rampUpEnabled: settings.rampUpEnabled,
    rampUpStart: String(settings.rampUpStart),
    rampUpIncrement: String(settings.rampUpIncrement),
    jitterMinSeconds: String(settings.jitterMinSeconds),
    jitterMaxSeconds: String(settings.jitterMaxSeconds),
    retryPolicy: settings.retryPolicy,
    retryDelays: delaysAsText(settings.retryDelaysSeconds),
    postalAddress,
    version: settings.version,
  }
}

/** What the server is asked for; it alone decides what fits. */
export function wishesOf(draft: Draft): Wishes {
  const { postalAddress: _, version: __, retryDelays, ...same } = draft
  return {
    ...same,
    dailyQuota: number(draft.dailyQuota),
    rampUpStart: number(draft.rampUpStart),
    rampUpIncrement: number(draft.rampUpIncrement),
    jitterMinSeconds: number(draft.jitterMinSeconds),
    jitterMaxSeconds: number(draft.jitterMaxSeconds),
    // What is no list of delays is sent as one that is refused.
    retryDelaysSeconds: draft.retryPolicy === 'CUSTOM' ? (delaysIn(retryDelays) ?? [0]) : (delaysIn(retryDelays) ?? []),
  }
}

export function isSame(one: Draft, other: Draft): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Whether anything but the postal address differs: that moves no email. */
export function changesPlan(one: Draft, other: Draft): boolean {
  return JSON.stringify(wishesOf(one)) !== JSON.stringify(wishesOf(other))
}

/** An empty field is no zero. */
function number(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}
