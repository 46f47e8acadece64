import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../problem.ts'
import { projectRoot } from '../project.ts'
import { type Child, startChild, type Variables } from './child.ts'
import { dataFolder } from './settings.ts'

export type Mode = 'production' | 'development'

const READY_SECONDS_MAX = 120

/** Where we reach it ourselves: one that listens on all addresses is on this machine's own, one that was given another only there. */
export function addressFrom(host: string, port: number | string): string {
  if (['0.0.0.0', '::', '127.0.0.1', 'localhost'].includes(host)) return `http://127.0.0.1:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

export const hostGiven = () => process.env.HOST || '127.0.0.1'

type Serving = { folder: string; host: string }

const ofTheInstallation = (): Serving => ({ folder: dataFolder(), host: hostGiven() })

export function startWebServer(
  mode: Mode,
  port: number,
  env: Variables,
  { folder, host }: Serving = ofTheInstallation(),
): Promise<Child> {
  return startChild({
    name: 'The web server',
    script: join(projectRoot, 'node_modules/next/dist/bin/next'),
    args: [mode === 'production' ? 'start' : 'dev', '--hostname', host, '--port', String(port)],
    env,
    preload: join(projectRoot, 'src/cli/home/end-with-parent.mjs'),
    ...(mode === 'production' ? { logFile: join(folder, 'server.log') } : {}),
  })
}

export async function waitUntilReady(
  port: number,
  server: Child,
  { folder, host }: Serving = ofTheInstallation(),
): Promise<void> {
  let ended = false
  void server.ended.then(() => {
    ended = true
  })
  const deadline = Date.now() + READY_SECONDS_MAX * 1000
  while (!ended && Date.now() < deadline) {
    const response = await fetch(`${addressFrom(host, port)}/api/health`, {
      signal: AbortSignal.timeout(30_000),
    }).catch(() => undefined)
    if (response && !ended) return
    await sleep(100)
  }
  throw new Problem(`The web server did not start; ${join(folder, 'server.log')} tells why.`)
}
