import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HomeCatcher, startCatcher } from '../home/catcher.ts'
import { type Child, startChild, type Variables } from '../home/child.ts'
import { startCron } from '../home/cron.ts'
import { startFakeGoogle } from '../home/fake-google.ts'
import { startWebServer, waitUntilReady } from '../home/web-server.ts'
import { startOnFreePort } from '../ports.ts'
import { Problem } from '../problem.ts'
import { projectRoot } from '../project.ts'
import {
  type Demo,
  demoFolder,
  demoUrlOf,
  isRemovalWanted,
  makeDatabase,
  newDemo,
  readDemo,
  removeDemo,
  writeDemo,
} from './home.ts'

const PREFERRED_PORT = 3100
const LOOK_MS = 1_000

/** On this machine only, under a name of its own: a browser that is signed in to the installation stays so. */
const HOST = '127.0.0.1'

type Beside = { databaseUrl: string; mainUrl: string; say: (line: string) => void; stopping: AbortSignal }

/**
 * Serves the demo beside the installation, and makes it first where it is not there yet. Whatever fails here is said, and
 * harms nothing else. Answers once it is removed or stopped.
 */
export async function serveDemo(beside: Beside): Promise<void> {
  const children: Child[] = []
  const stops: (() => void)[] = []
  const stop = async () => {
    for (const end of stops.splice(0)) end()
    for (const child of children.splice(0).reverse()) await child.stop()
  }
  const running = run(beside, children, stops)
  try {
    await Promise.race([running.then(() => untilOver(beside.stopping)), untilOver(beside.stopping)])
  } catch (error) {
    if (!beside.stopping.aborted) beside.say(`The demo could not be started: ${describe(error)} Everything else runs.`)
  } finally {
    await stop()
    // What was under way finds its processes ended, and may have started one more.
    await running.catch(() => undefined)
    await stop()
  }
  if (beside.stopping.aborted || !isRemovalWanted()) return
  await removeDemo(beside.databaseUrl)
  beside.say('The demo was removed, with all that was in it.')
}

async function run({ databaseUrl, mainUrl, say }: Beside, children: Child[], stops: (() => void)[]) {
  const kept = await readDemo()
  const demo: Demo = kept?.isMade ? kept : newDemo()
  if (!demo.isMade) {
    say('The demo workspace is being made in the background; that takes about a minute.')
    await writeDemo(demo)
    await makeDatabase(databaseUrl)
  }
  const started = async (child: Child) => {
    children.push(child)
  }
  const catcher = await startCatcher(demo.catcherToken, started, {
    ...{ folder: demoFolder(), smtpPort: 1125, httpPort: 8125, args: ['--faults'] },
  })
  const google = await startFakeGoogle(started, {
    ...{ folder: demoFolder(), port: 8126, secret: demo.catcherToken, smtpPort: catcher.smtpPort },
  })
  const { port, env } = await startOnFreePort(PREFERRED_PORT, async (port) => {
    const env = { ...environmentOf(demo, databaseUrl, port, catcher), ...google }
    const server = await startWebServer('production', port, env, { folder: demoFolder(), host: HOST })
    await started(server)
    await waitUntilReady(port, server, { folder: demoFolder(), host: HOST })
    return { port, env }
  })
  const url = `http://${HOST}:${port}`
  await writeDemo({ ...demo, url, mainUrl })
  if (!demo.isMade) await make(demo, env, catcher, children)
  const cron = startCron(url, demo.cronSecret, say)
  stops.push(() => cron.stop())
  await writeDemo({ ...demo, isMade: true, url, mainUrl })
  say(`
A demo workspace is there to try things in; nothing in it is real.

  Open it       ${url}
  Sign in as    ${demo.email}  with  ${demo.password}
  Its mail      ${catcher.url}
  Remove it     npm run demo -- remove
`)
}

function environmentOf(demo: Demo, databaseUrl: string, port: number, catcher: HomeCatcher) {
  return {
    ...{ NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', PORT: String(port), APP_URL: `http://${HOST}:${port}` },
    ...{ DATABASE_URL: demoUrlOf(databaseUrl), DIRECT_URL: '', DATABASE_POOLER: '' },
    ...{ CRON_SECRET: demo.cronSecret, AUTH_SECRET: demo.authSecret, ENCRYPTION_KEYS: demo.encryptionKeys },
    ...{ METRICS_SECRET: '', TRUSTED_PROXIES: '', VERCEL: '', VERCEL_URL: '', VERCEL_BRANCH_URL: '' },
    ...{ DEMO_DIR: demoFolder(), WITNESS_DIR: join(demoFolder(), 'witness') },
    // To the demo's own catcher, whatever the installation's mail goes through.
    ...catcher.env,
    SYSTEM_MAIL_URL: `smtp://127.0.0.1:${catcher.smtpPort}`,
    SYSTEM_MAIL_FROM: 'sendonce@demo.example',
    SMTP_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    WEBHOOK_ALLOW_PRIVATE_HOSTS: '',
    CATCHER_URL: catcher.url,
  }
}

/** A process of its own, since what sends goes by the environment of its process. */
async function make(demo: Demo, env: Variables, catcher: HomeCatcher, children: Child[]) {
  const child = await startChild({
    name: 'The making of the demo',
    script: join(projectRoot, 'src/cli/demo/make-process.ts'),
    args: [],
    env: {
      ...env,
      ...{ LOG_LEVEL: 'error', DEMO_EMAIL: demo.email, DEMO_PASSWORD: demo.password },
      CATCHER_API: new URL(catcher.url).origin,
      ...{ CATCHER_TOKEN: demo.catcherToken, CATCHER_SMTP_PORT: String(catcher.smtpPort) },
    },
    logFile: join(demoFolder(), 'making.log'),
  })
  children.push(child)
  const isMade = await Promise.race([child.ready.then(() => true), child.ended.then(() => false)])
  if (!isMade) throw new Problem(`its making ended early; ${join(demoFolder(), 'making.log')} tells why.`)
}

async function untilOver(stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && !isRemovalWanted())
    await sleep(LOOK_MS, undefined, { signal: stopping, ref: false }).catch(() => undefined)
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
