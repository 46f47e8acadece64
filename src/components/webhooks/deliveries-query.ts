import { DELIVERY_FILTERS, type DeliveryFilter } from '#lib/webhooks/states.ts'

export type DeliveriesQuery = { show: DeliveryFilter; cursor?: string }

/** What the address asks for. */
export function deliveriesQueryIn(params: Pick<URLSearchParams, 'get'>): DeliveriesQuery {
  const show = DELIVERY_FILTERS.find((filter) => filter === params.get('show')) ?? 'all'
  const cursor = params.get('cursor')
  return { show, ...(cursor && { cursor }) }
}
