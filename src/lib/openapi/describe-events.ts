import { WEBHOOK_EVENTS } from '#lib/contract/webhooks.ts'
import { AREAS } from './areas.ts'
import { exampleOf } from './example-of.ts'
import { jsonSchemaOf, type NamedSchemas } from './json-schema.ts'

const HEADERS = [
  { name: 'webhook-id', description: 'The same at every repetition: by it you know what you have had already.' },
  { name: 'webhook-timestamp', description: 'When it was sent, in seconds since 1970.' },
  { name: 'webhook-signature', description: 'Signatures with the secret, parted by spaces; one that fits is enough.' },
]

/** Every event as it is sent to a webhook. */
export function describeEvents(named: NamedSchemas): Record<string, object> {
  return Object.fromEntries(
    WEBHOOK_EVENTS.map(({ type, sentence, payload }) => {
      const schema = jsonSchemaOf(payload, 'output', named)
      const content = { 'application/json': { schema, example: exampleOf(schema, 'output', named) } }
      const post = {
        operationId: `event:${type}`,
        tags: [AREAS.webhooks.name],
        summary: type,
        description: sentence,
        parameters: HEADERS.map((header) => ({ ...header, in: 'header', required: true, schema: { type: 'string' } })),
        requestBody: { required: true, content },
        responses: { '2XX': { description: 'You have it. Anything else is tried again later, but 410 ends it.' } },
      }
      return [type, { post }]
    }),
  )
}
