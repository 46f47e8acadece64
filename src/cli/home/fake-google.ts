import { join } from 'node:path'
import { startOnFreePort } from '../ports.ts'
import { Problem } from '../problem.ts'
import { projectRoot } from '../project.ts'
import { type Child, startChild, type Variables } from './child.ts'

type Playing = {
  folder: string
  port: number
  /** Of the one client that may ask. */
  secret: string
  /** Where what was sent can be seen. */
  smtpPort: number
}

const CLIENT_ID = 'sendonce-demo.apps.example'

/** Plays Google for the demo, so that a Gmail mailbox can be seen at work; what it needs to be used stands in `env`. */
export async function startFakeGoogle(
  onStart: (child: Child) => Promise<void>,
  { folder, secret, smtpPort, ...wanted }: Playing,
): Promise<Variables> {
  return startOnFreePort(wanted.port, async (port) => {
    const child = await startChild({
      name: 'What plays Google',
      script: join(projectRoot, 'src/fake-google/main.ts'),
      // A month is lived through in a minute, with all its calls.
      args: ['--port', String(port), '--dir', join(folder, 'google'), '--deliver-to', String(smtpPort), '--no-quotas'],
      env: { FAKE_GOOGLE_CLIENT: `${CLIENT_ID}:${secret}` },
      logFile: join(folder, 'google.log'),
    })
    await onStart(child)
    const isReady = await Promise.race([child.ready.then(() => true), child.ended.then(() => false)])
    if (!isReady) throw new Problem(`What plays Google did not start; ${join(folder, 'google.log')} tells why.`)
    return {
      FAKE_GOOGLE_URL: `http://127.0.0.1:${port}`,
      GOOGLE_CLIENT_ID: CLIENT_ID,
      GOOGLE_CLIENT_SECRET: secret,
    }
  })
}
