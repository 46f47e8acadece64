import type { WebhookDeliveryState, WebhookStatus } from '#lib/platform/generated/enums.ts'

/** What the state of an endpoint is called, and what it means, in words for people. */
export const WEBHOOK_STATES: Record<WebhookStatus, { readonly name: string; readonly sentence: string }> = {
  ENABLED: { name: 'Enabled', sentence: 'Events are delivered as they happen.' },
  PAUSED: { name: 'Paused', sentence: 'Events are collected, and go out when it is enabled again.' },
  DISABLED: { name: 'Disabled', sentence: 'New events are not collected until a person enables it.' },
}

export const WEBHOOK_STATUSES = Object.keys(WEBHOOK_STATES) as [WebhookStatus, ...WebhookStatus[]]

export const DELIVERY_STATES: Record<WebhookDeliveryState, { readonly name: string }> = {
  WAITING: { name: 'Waiting' },
  DELIVERED: { name: 'Delivered' },
  FAILED: { name: 'Failed' },
}

export const DELIVERY_STATE_NAMES = Object.keys(DELIVERY_STATES) as [WebhookDeliveryState, ...WebhookDeliveryState[]]

export const DELIVERY_FILTERS = ['all', 'failed', 'waiting'] as const
export type DeliveryFilter = (typeof DELIVERY_FILTERS)[number]
