import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { type Child, startChild } from '#cli/home/child.ts'
import { freePort } from '#cli/ports.ts'
import { projectRoot } from '#cli/project.ts'
import { createTestDatabase, dropTestDatabase } from './database.ts'

export type TestApp = { url: string; catcherUrl: string; databaseUrl: string; cronSecret: string }

/** The product as shipped, in processes of its own, on a database of its own, with a mail catcher. */
export function testApp(): TestApp {
  const app: TestApp = { url: '', catcherUrl: '', databaseUrl: '', cronSecret: 'a-secret-for-this-test-only' }
  const children: Child[] = []
  let folder = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sendonce-app-'))
    app.databaseUrl = await createTestDatabase()
    const [port, smtpPort, httpPort] = [await freePort(0), await freePort(0), await freePort(0)]
    app.url = `http://localhost:${port}`
    app.catcherUrl = `http://localhost:${httpPort}`
    children.push(
      await startChild({
        name: 'catcher',
        script: join(projectRoot, 'src/cli/catcher/main.ts'),
        args: ['--smtp-port', String(smtpPort), '--http-port', String(httpPort), '--dir', join(folder, 'mail')],
        env: {},
        logFile: join(folder, 'catcher.log'),
      }),
      await startChild({
        name: 'server',
        script: join(projectRoot, 'node_modules/next/dist/bin/next'),
        args: ['start', '--hostname', '127.0.0.1', '--port', String(port)],
        env: {
          NODE_ENV: 'production',
          NEXT_TELEMETRY_DISABLED: '1',
          DATABASE_URL: app.databaseUrl,
          CRON_SECRET: app.cronSecret,
          APP_URL: app.url,
          AUTH_SECRET: 'a-secret-for-sessions-in-this-test-only',
          ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
          SYSTEM_MAIL_URL: `smtp://127.0.0.1:${smtpPort}`,
          SYSTEM_MAIL_FROM: 'sendonce@example.com',
          CATCHER_URL: app.catcherUrl,
        },
        logFile: join(folder, 'server.log'),
        preload: join(projectRoot, 'src/cli/home/end-with-parent.mjs'),
      }),
    )
    await untilAnswers(`${app.url}/api/health`)
    await untilAnswers(`${app.catcherUrl}/api/messages`)
  })

  afterAll(async () => {
    for (const child of children) await child.stop()
    await dropTestDatabase(app.databaseUrl)
    await rm(folder, { recursive: true, force: true })
  })

  return app
}

async function untilAnswers(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return
    await sleep(50)
  }
  throw new Error(`${url} did not answer`)
}
