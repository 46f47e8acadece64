import { KEY_HEADER } from '#lib/platform/http/keyed.ts'
import type { NamedSchemas } from './json-schema.ts'
import { REFUSALS_BY_STATUS } from './refusals.ts'

const FAILURE = {
  type: 'object',
  description: 'A refusal: a code for programs, and a sentence for people that says what to do.',
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        details: { description: 'More about it; of input that does not fit, `fields` with path and message of each.' },
      },
      required: ['code', 'message'],
      additionalProperties: false,
    },
  },
  required: ['success', 'error'],
  additionalProperties: false,
}

const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }
/** Refusals that pass by themselves. */
const MAY_SAY_WHEN = new Set(['409', '429', '503'])

/** What operations have in common. */
export function componentsWith(named: NamedSchemas): object {
  return {
    schemas: { Failure: FAILURE, ...Object.fromEntries(named) },
    securitySchemes: {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'sendonce.session_token',
        description:
          'The session of a person who is signed in; over HTTPS, the name of the cookie begins with __Secure-.',
      },
      key: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'sendonce_…',
        description: 'An API key of one workspace, with the scopes read, send or admin; admin includes the others.',
      },
      secret: {
        type: 'http',
        scheme: 'bearer',
        description: 'A secret of the installation: CRON_SECRET for the tick, METRICS_SECRET for the metrics.',
      },
    },
    parameters: {
      WorkspaceId: {
        name: 'x-workspace-id',
        in: 'header',
        description: 'Which of their workspaces a person means; else the one they are in. A key has one already.',
        schema: { type: 'string', format: 'uuid' },
      },
      IdempotencyKey: {
        name: KEY_HEADER,
        in: 'header',
        description: 'A name for this one request, such as a UUID: sent again with it, nothing is done twice.',
        schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
      },
      IfMatch: {
        name: 'if-match',
        in: 'header',
        description: 'The ETag of the answer that the change is meant for; 412 where it has been changed since.',
        schema: { type: 'string' },
      },
    },
    headers: {
      RequestId: { description: 'The id under which the log knows this request.', schema: { type: 'string' } },
      ETag: { description: 'The version of what is shown, for If-Match.', schema: { type: 'string' } },
      Location: { description: 'Where what was made can be asked for.', schema: { type: 'string' } },
      IdempotencyReplayed: {
        description: 'There where this is the answer that was given before.',
        schema: { type: 'string', enum: ['true'] },
      },
      RetryAfter: { description: 'After how many seconds to come back.', schema: { type: 'integer' } },
    },
    responses: Object.fromEntries(
      Object.entries(REFUSALS_BY_STATUS).map(([status, { name, says, code, message }]) => [
        name,
        {
          description: says,
          headers: MAY_SAY_WHEN.has(status)
            ? { ...REQUEST_ID, 'retry-after': { $ref: '#/components/headers/RetryAfter' } }
            : REQUEST_ID,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Failure' },
              example: { success: false, error: { code, message } },
            },
          },
        },
      ]),
    ),
  }
}
