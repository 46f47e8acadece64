import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { AREAS } from './areas.ts'
import { componentsWith } from './components.ts'
import { describeEvents } from './describe-events.ts'
import { describeOperation, type NamedOperation } from './describe-operation.ts'
import type { NamedSchemas } from './json-schema.ts'

/** The version of the contract, as package.json has it; a test compares them. */
export const API_VERSION = '0.1.0'

const ABOUT = `Everything that the pages do, programs can do too.

**Signing in.** A program sends an API key of one workspace (\`Authorization: Bearer sendonce_…\`), a browser the cookie of a session.

**Answers** stand in an envelope: \`{"success": true, "data": …}\`, or \`{"success": false, "error": {"code", "message", "details"?}}\` with a fitting status. They may get more fields with time; pass over those that you do not know. What you send is taken exactly: a field that is not known is refused.

**Never twice.** Send an \`Idempotency-Key\` with each POST, and send it again with the same key where no answer came: it is done once, and answered as before.

**Edits** can name the version that they are meant for: send the ETag of the answer that you read in \`If-Match\`; 412 says that it has been changed since.

**Before any operation**, what is no request for one is refused: 405 for a method that an address does not take, 417 and 431 for headers, 308 for an address with a slash too many.

**Events** are sent to your own address, once you have added it as a webhook. Each is a POST of \`{"type", "timestamp", "data"}\`, signed as the Standard Webhooks specification has it; libraries for most languages check it with the secret of the webhook. An event may come more than once, always under the same \`webhook-id\`. Answer with 2xx within 15 seconds, and do the work afterwards.

**Lists** come in pages: \`nextCursor\` of an answer is the \`cursor\` of the next request, until it is null.`

type Document = { openapi: string; paths: Record<string, Record<string, unknown>> } & Record<string, unknown>

/** The OpenAPI document of every operation in the contract. */
export function openApiDocument(): Document {
  const named: NamedSchemas = new Map()
  const paths: Document['paths'] = {}
  for (const one of namedOperations()) {
    const { path, method } = one.operation
    const address = path.replaceAll(/\[(\w+)\]/g, '{$1}')
    paths[address] = { ...paths[address], [method.toLowerCase()]: describeOperation(one, named) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Sendonce', version: API_VERSION, description: ABOUT, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/', description: 'This installation.' }],
    tags: Object.values(AREAS),
    paths,
    webhooks: describeEvents(named),
    components: componentsWith(named),
  }
}

export function namedOperations(): NamedOperation[] {
  return (Object.keys(AREAS) as (keyof typeof AREAS)[]).flatMap((area) =>
    Object.entries(CONTRACT[area] as Record<string, Operation>).map(([name, operation]) => ({
      operationId: area + name.charAt(0).toUpperCase() + name.slice(1),
      title: titleOf(name),
      tag: AREAS[area].name,
      operation,
    })),
  )
}

/** `changeRole` → “Change role”. */
function titleOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
