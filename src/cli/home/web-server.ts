import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../problem.ts'
import { projectRoot } from '../project.ts'
import { type Child, startChild, type Variables } from './child.ts'
import { dataFolder } from './settings.ts'

export type Mode = 'production' | 'development'

const READY_SECONDS_MAX = 120

type Serving = { folder: string; host: string }

const ofTheInstallation = (): Serving => ({ folder: dataFolder(), host: process.env.HOST || '127.0.0.1' })

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

export async function waitUntilReady(port: number, server: Child, folder = dataFolder()): Promise<void> {
  let ended = false
  void server.ended.then(() => {
    ended = true
  })
  const deadline = Date.now() + READY_SECONDS_MAX * 1000
  while (!ended && Date.now() < deadline) {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`, { signal: AbortSignal.timeout(30_000) }).catch(
      () => undefined,
    )
    if (response && !ended) return
    await sleep(100)
  }
  throw new Problem(`The web server did not start; ${join(folder, 'server.log')} tells why.`)
}
