import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startChild, type Variables } from '#cli/home/child.ts'
import { freePort } from '#cli/ports.ts'
import { projectRoot } from '#cli/project.ts'

export type Shipped = {
  url: string
  /** As a person who is signed in once they have set the product up. */
  ask<T>(method: string, path: string, body?: unknown): Promise<T>
  /** A page or an answer of the API, to its last byte. */
  read(path: string): Promise<void>
  upload<T>(path: string, csv: string, options: unknown): Promise<T>
  tick(): Promise<{ planningUnfinished: boolean; sent: number }>
  memoryMb(): Promise<number>
  stop(): Promise<void>
}

const CRON_SECRET = 'a-secret-for-this-benchmark-only'

/** The built product in a process of its own, as `npm start` runs it. */
export async function startShipped(databaseUrl: string, folder: string, more: Variables = {}): Promise<Shipped> {
  const port = await freePort(0)
  const url = `http://localhost:${port}`
  const child = await startChild({
    name: 'server',
    script: join(projectRoot, 'node_modules/next/dist/bin/next'),
    args: ['start', '--hostname', '127.0.0.1', '--port', String(port)],
    env: {
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      LOG_LEVEL: 'error',
      DATABASE_URL: databaseUrl,
      CRON_SECRET,
      APP_URL: url,
      AUTH_SECRET: 'a-secret-for-sessions-in-this-benchmark',
      ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
      ...more,
    },
    logFile: join(folder, 'server.log'),
    preload: join(projectRoot, 'src/cli/home/end-with-parent.mjs'),
  })
  for (let tries = 0; !(await fetch(`${url}/api/health`).catch(() => undefined)); tries += 1) {
    if (tries === 600) throw new Error('the server does not answer')
    await sleep(50)
  }
  let cookie = ''
  const call = async <T>(path: string, request: RequestInit): Promise<T> => {
    const response = await fetch(`${url}${path}`, { ...request, headers: { origin: url, cookie, ...request.headers } })
    const set = response.headers.getSetCookie().map((one) => one.split(';')[0])
    if (set.length > 0) cookie = set.join('; ')
    const answer = (await response.json()) as { success: true; data: T } | { success: false; error: unknown }
    if (!answer.success) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer.error)}`)
    return answer.data
  }
  return {
    url,
    ask: (method, path, body) =>
      call(path, {
        method,
        ...(method === 'GET' ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    async read(path) {
      const response = await fetch(`${url}${path}`, { headers: { cookie }, redirect: 'manual' })
      await response.text()
      if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    },
    upload: (path, csv, options) => {
      const body = new FormData()
      body.set('options', JSON.stringify(options))
      body.set('file', new Blob([csv], { type: 'text/csv' }), 'people.csv')
      return call(path, { method: 'POST', body })
    },
    tick: () => call('/api/cron/send-emails', { headers: { authorization: `Bearer ${CRON_SECRET}` } }),
    async memoryMb() {
      const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(child.process.pid)])
      return Number(stdout) / 1024
    },
    stop: () => child.stop(),
  }
}
