import type { z } from 'zod'
import type { outboxFilter } from '#lib/contract/outbox.ts'
import type { OutboxFilter } from '#lib/email-scheduler/queue/outbox-source.ts'
import { hasherFor } from './audience.ts'

type Given = z.infer<z.ZodObject<typeof outboxFilter>>

/** What a request asks for, with what finds whole addresses. */
export async function filterOf(workspaceId: string, { search, ...filter }: Given): Promise<OutboxFilter> {
  return search ? { ...filter, search: { text: search, hash: await hasherFor(workspaceId) } } : filter
}
