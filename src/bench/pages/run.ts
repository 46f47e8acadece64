import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { ensureBuild } from '#cli/home/prepare.ts'
import { Problem } from '#cli/problem.ts'
import { projectRoot } from '#cli/project.ts'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { type Shipped, startShipped } from '../launch/shipped.ts'
import { print, quantile } from '../rounds.ts'
import { startBenchServer } from '../server.ts'
import { fillWorkspace } from './full-workspace.ts'

const SERVER_MS_MAX = 200
const WARM_UPS = 3
const ROUNDS = 15
const PAGES = 'src/app/(app)'

/** How long the server takes for each page, and for each thing that a page reads, in a workspace that is full. */
export async function benchPages(args: string[]): Promise<void> {
  const people = Number(args[0] ?? 100_000)
  if (!Number.isInteger(people) || people < 1_000)
    throw new Problem('Say how many people, at least 1000: npm run bench -- pages 100000')
  const sizes = { people, emails: 3 * people }
  await ensureBuild(() => print('Building…'))
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-bench-pages-'))
  const server = await startBenchServer()
  try {
    const databaseUrl = await server.newDatabase('pages', true)
    const app = await startShipped(databaseUrl, folder)
    try {
      const owner = {
        name: 'Olga',
        email: 'olga@example.com',
        password: 'correct horse battery',
        workspaceName: 'Acme',
      }
      await app.ask('POST', '/api/setup', owner)
      const { workspace } = await app.ask<{ workspace: { id: string } }>('GET', '/api/session')
      await fillWorkspace(databaseUrl, workspace.id, sizes)
      await app.ask('POST', '/api/templates', { name: 'receipt', subject: 'Your receipt', bodyText: 'Thank you.' })
      const ids = await findIds(databaseUrl, workspace.id)
      print(
        `${people.toLocaleString('en')} people, ${sizes.emails.toLocaleString('en')} emails; ms of ${ROUNDS} answers\n`,
      )
      const slow = [
        ...(await contest(app, 'pages', await pagesWith(ids))),
        ...(await contest(app, 'what pages read', readsWith(ids))),
      ]
      print(slow.length === 0 ? '\nevery answer: (pass)' : `\nover ${SERVER_MS_MAX} ms (short): ${slow.join(', ')}`)
    } finally {
      await app.stop()
    }
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Answers the addresses whose median is over the bar. */
async function contest(app: Shipped, what: string, addresses: readonly string[]): Promise<string[]> {
  print(`${what.padEnd(64)} median    worst`)
  const slow: string[] = []
  for (const address of addresses) {
    const taken: number[] = []
    for (let round = -WARM_UPS; round < ROUNDS; round += 1) {
      const began = performance.now()
      await app.read(address)
      if (round >= 0) taken.push(performance.now() - began)
    }
    const [median, worst] = [quantile(taken, 0.5), quantile(taken, 1)]
    if (median > SERVER_MS_MAX) slow.push(address)
    const name = address.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
    print(`  ${name.padEnd(60)} ${median.toFixed(0).padStart(8)} ${worst.toFixed(0).padStart(8)}`)
  }
  return slow
}

/** By the folder under which an address has its id. */
type Ids = Record<string, string>

async function findIds(databaseUrl: string, workspaceId: string): Promise<Ids> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const one = async (from: string) => {
    const { rows } = await client.query<{ id: string }>(`SELECT id FROM ${from} WHERE workspace_id = $1 LIMIT 1`, [
      workspaceId,
    ])
    return rows[0]?.id ?? ''
  }
  const ids = {
    prospects: await one('prospects'),
    sequences: await one('(SELECT * FROM sequences WHERE launched_at IS NOT NULL ORDER BY id) s'),
    campaigns: await one('(SELECT * FROM campaigns ORDER BY id) c'),
    lists: await one(`(SELECT * FROM prospect_lists WHERE name = 'Everybody') l`),
    segments: await one('segments'),
    mailboxes: await one('mailboxes'),
    import: await one('import_jobs'),
    outbox: await one(`(SELECT * FROM scheduled_emails WHERE status = 'SENT') e`),
    templates: await one('email_templates'),
    workspaces: workspaceId,
  }
  await client.end()
  return ids
}

const CAMPAIGN_VIEWS = ['tab=people', 'tab=plan', 'tab=plan&view=list', 'tab=emails', 'tab=activity', 'tab=settings']

/** Every page on disk of those who are signed in, prospects as people look for them, and the tabs of a campaign. */
async function pagesWith(ids: Ids): Promise<string[]> {
  const files = await readdir(join(projectRoot, PAGES), { recursive: true })
  const pages = files
    .filter((file) => /(^|\/)page\.tsx$/.test(file))
    .map((file) => `/${file.replace(/\/?page\.tsx$/, '')}`)
  return [
    ...pages.sort().map((page) => filled(page, ids)),
    `/prospects?list=${ids.lists}`,
    '/prospects?lacks=company&contacted=no',
    '/prospects?q=surname%2099',
    `/prospects/import?job=${ids.import}`,
    ...CAMPAIGN_VIEWS.map((view) => `/campaigns/${ids.campaigns}?${view}`),
  ]
}

/**
 * Programs ask for these, or a person who presses a button: no page waits for them. Or they read one row by its key, of
 * what this workspace has none: an action, a transactional email, a bulk, a saved filter, a webhook.
 */
const NOT_READ_BY_PAGES =
  /^\/api\/(cron|metrics|setup|health)|export$|\[version\]|preview|^\/api\/(admin\/actions|emails|admin\/outbox\/(bulks|filters)|webhooks|webhook-deliveries)\/\[|\[enrolmentId\]/

/** What does not answer without them. */
const QUERIES: Record<string, string> = {
  '/api/settings/sending/holidays': '?country=DE&year=2027',
  '/api/overview/rows': '?what=open-failed',
}

function readsWith(ids: Ids): string[] {
  const operations = Object.values(CONTRACT).flatMap((area): Operation[] => Object.values(area))
  return operations
    .filter(({ method, path }) => method === 'GET' && !NOT_READ_BY_PAGES.test(path))
    .map(({ path }) => `${filled(path, ids)}${QUERIES[path] ?? ''}`)
    .sort()
}

function filled(address: string, ids: Ids): string {
  return address.replace(/([^/]+)\/\[id\]/, (_, folder: string) => {
    const id = ids[folder]
    if (!id) throw new Error(`${address}: the benchmark has no id for ${folder}`)
    return `${folder}/${id}`
  })
}
