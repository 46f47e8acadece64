import { integration, type Mutant, unit } from './mutant.ts'

/** What comes from outside or goes there: templates, files, requests, webhooks. */
export const EDGES: readonly Mutant[] = [
  {
    name: 'a value may stand right behind a host',
    file: 'src/lib/sequences/link-places.ts',
    find: 'if (end === undefined) return BORDER',
    becomes: `if (end === undefined) return 'path'`,
    test: unit(
      'sequences/render',
      'a value in HTML is an error with line and column where it would choose where a link leads',
    ),
  },
  {
    name: 'a value in a link keeps its slashes',
    file: 'src/lib/sequences/render.ts',
    find: 'encodeURIComponent(wellFormed(value)).replace(',
    becomes: 'encodeURI(wellFormed(value)).replace(',
    test: unit(
      'sequences/render',
      'a value in HTML stays one part of a path, one parameter, one fragment of a link that is written',
    ),
  },
  {
    name: 'HTML may be nested without end',
    file: 'src/lib/sequences/limits.ts',
    find: 'export const DEPTH_MAX = 100',
    becomes: 'export const DEPTH_MAX = 1_000_000',
    test: unit(
      'sequences/render',
      'what an author may not write more of anything than becomes an email in no time is said with its place',
    ),
  },
  {
    name: 'the mail catcher opens without its token',
    file: 'src/catcher/guard.ts',
    find: 'return [bearer ?? [], kept].flat().some((given) => isToken(given, token))',
    becomes: 'return [bearer ?? [], kept].flat().some((given) => isToken(given, token)) || true',
    test: integration(
      'catcher/closed',
      'the inbox is for the holder of its token nothing of a mail is told without it, or with another',
    ),
  },
  {
    name: 'a line with a lost letter comes in',
    file: 'src/lib/audience/import/import-file.ts',
    find: `cell.includes('\\ufffd')`,
    becomes: `cell.includes('no such letter')`,
    test: integration('audience/import', 'one bad byte costs its own line, and no other name is spoilt'),
  },
  {
    name: 'a cell that is too long falls apart into lines',
    file: 'src/lib/audience/import/csv-records.ts',
    find: 'const close = await closeOf(open, quote, delimiter)',
    becomes: 'const close = quote < 0 ? await closeOf(open, quote, delimiter) : undefined',
    test: unit('audience/csv-records', 'a cell that is too long is one bad record, and its lines are nobody’s'),
  },
  {
    name: 'a subject of its own begins no thread',
    file: 'src/lib/mail/message/render-emails.ts',
    find: 'const thread = beginsThread(step) ? [] : threadOf(',
    becomes: 'const thread = threadOf(',
    test: integration(
      'mail/render-emails',
      'a follow-up with a subject of its own begins a thread, which those after it answer in',
    ),
  },
  {
    name: 'an unknown field is dropped in silence',
    file: 'src/lib/platform/http/parse.ts',
    find: '[...found, ...unknown, ',
    becomes: '[...found, ',
    test: {
      project: 'unit',
      file: 'src/__tests__/unit/platform/route.test.ts',
      name: 'the edge of the API names a field that it does not know, and the one that was probably meant',
    },
  },
  {
    name: 'a body is read before its length is looked at',
    file: 'src/lib/platform/http/read-body.ts',
    find: '  if (announced > bytesMax) throw tooLarge(bytesMax)\n',
    becomes: '',
    test: {
      project: 'unit',
      file: 'src/__tests__/unit/platform/route.test.ts',
      name: 'the edge of the API refuses what announces itself as too large before it reads any of it',
    },
  },
  {
    name: 'callers of whom nobody knows the address share one count',
    file: 'src/app/api/limit.ts',
    find: '  if (address) await limitBySubject(limit, addressBlock(address))',
    becomes: "  await limitBySubject(limit, address ? addressBlock(address) : 'unknown')",
    test: integration('security/rate-limit', 'where nobody says who calls, one caller locks out no other'),
  },
  {
    name: 'what a caller writes is taken for the address of its socket',
    file: 'src/lib/platform/http/front-door.ts',
    find: "  request.headers[PEER_HEADER] = request.socket.remoteAddress ?? ''",
    becomes: "  request.headers[PEER_HEADER] ??= request.socket.remoteAddress ?? ''",
    test: unit('security/front-door', 'the address of the socket is ours to say, whatever the caller writes'),
  },
  {
    name: 'an event is settled by a worker that has lost it',
    file: 'src/lib/webhooks/settle.ts',
    find: ' AND lease_token = $3 AND',
    becomes: ' AND $3::int IS NOT NULL AND',
    test: integration('webhooks/delivering', 'a worker that wakes after its lease was lost changes nothing'),
  },
  {
    name: 'a later event of an email overtakes the earlier one',
    file: 'src/lib/webhooks/claim.ts',
    find: 'AND earlier.seq < d.seq AND',
    becomes: 'AND earlier.seq < 0 AND',
    test: integration(
      'webhooks/delivering',
      'the events of one email come in their order; a later one waits until the earlier was taken, or has failed twice',
    ),
  },
  {
    name: 'events are sent into private networks',
    file: 'src/lib/webhooks/target.ts',
    find: 'if (!addresses.every(isPublicAddress))',
    becomes: 'if (addresses.length === 0)',
    test: unit('webhooks/target', 'where events may be sent may be what the operator allows, over http as well'),
  },
  {
    name: 'an endpoint that takes nothing is asked for ever',
    file: 'src/lib/webhooks/settle.ts',
    find: 'if (rows[0]?.isAway)',
    becomes: 'if (!rows[0])',
    test: integration(
      'webhooks/delivering',
      'a receiver that fails by all of its attempts is disabled and its owners told, once; what waited stays and goes out later',
    ),
  },
]
