import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '#cli/home/child.ts'
import { freePort } from '#cli/ports.ts'
import { projectRoot } from '#cli/project.ts'
import { SINK_HOST } from '../send/sink.ts'

export type BareRoute = { url: string; stop(): Promise<void> }

/** What a program writes that has nothing but a mail server: as nodemailer's manual shows it, in one route of one app. */
const ROUTE = `import { createTransport } from 'nodemailer'
const transport = createTransport({ host: process.env.SINK_HOST, port: Number(process.env.SINK_PORT), ignoreTLS: true, pool: true,
  maxConnections: Number(process.env.CONNECTIONS), maxMessages: Number.POSITIVE_INFINITY })
export async function POST(request) {
  const { to, subject, text } = await request.json()
  const { messageId } = await transport.sendMail({ from: 'shop@acme.test', to, subject, text })
  return Response.json({ messageId }, { status: 201 })
}
`

const FILES: Record<string, string> = {
  'app/api/emails/route.js': ROUTE,
  'app/layout.js':
    'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html> }\n',
  'package.json': '{ "private": true, "type": "module" }\n',
  'next.config.mjs':
    "export default { outputFileTracingRoot: import.meta.dirname, serverExternalPackages: ['nodemailer'] }\n",
}

/** Built and started as the product is. In the clone, so that it finds the same Next and the same nodemailer. */
export async function startBareRoute(sinkPort: number, connections: number): Promise<BareRoute> {
  const place = join(projectRoot, '.data')
  await mkdir(place, { recursive: true })
  const folder = await mkdtemp(join(place, 'bench-route-'))
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const script = join(projectRoot, 'node_modules/next/dist/bin/next')
  const env = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
  const build = await startChild({
    name: 'build',
    script,
    // Turbopack takes the whole clone for the app, and the product's own proxy and instrumentation with it.
    args: ['build', folder, '--webpack'],
    env,
    logFile: join(folder, 'build.log'),
  })
  await build.ended
  if (build.process.exitCode !== 0)
    throw new Error(`the bare route could not be built: see ${join(folder, 'build.log')}`)
  const port = await freePort(0)
  const url = `http://127.0.0.1:${port}`
  const child = await startChild({
    name: 'bare route',
    script,
    args: ['start', folder, '--hostname', '127.0.0.1', '--port', String(port)],
    env: { ...env, SINK_HOST, SINK_PORT: String(sinkPort), CONNECTIONS: String(connections) },
    logFile: join(folder, 'server.log'),
    preload: join(projectRoot, 'src/cli/home/end-with-parent.mjs'),
  })
  for (let tries = 0; !(await fetch(`${url}/nowhere`).catch(() => undefined)); tries += 1) {
    if (tries === 600) throw new Error('the bare route does not answer')
    await sleep(50)
  }
  return {
    url,
    async stop() {
      await child.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
