import { join } from 'node:path'
import { startOnFreePort } from '../ports.ts'
import { Problem } from '../problem.ts'
import { projectRoot } from '../project.ts'
import { type Child, startChild, type Variables } from './child.ts'
import { dataFolder } from './settings.ts'

export type HomeCatcher = { child: Child; url: string; smtpPort: number; env: Variables }

type Catching = { folder: string; smtpPort: number; httpPort: number; args: string[] }

const ofTheInstallation = (): Catching => ({ folder: dataFolder(), smtpPort: 1025, httpPort: 8025, args: [] })

/** `onStart` hears of every process that is started, also of one that then finds its port taken. */
export async function startCatcher(
  token: string,
  onStart: (child: Child) => Promise<void>,
  { folder, args, ...wanted }: Catching = ofTheInstallation(),
): Promise<HomeCatcher> {
  return await startOnFreePort(wanted.smtpPort, (smtpPort) =>
    startOnFreePort(wanted.httpPort, async (httpPort) => {
      const ports = ['--smtp-port', String(smtpPort), '--http-port', String(httpPort)]
      const child = await startChild({
        name: 'The mail catcher',
        script: join(projectRoot, 'src/catcher/main.ts'),
        args: [...ports, '--dir', join(folder, 'mail'), ...args],
        env: { CATCHER_TOKEN: token },
        logFile: join(folder, 'catcher.log'),
      })
      await onStart(child)
      await mustBeReady(child, folder)
      const url = `http://localhost:${httpPort}/?token=${token}`
      return { child, url, smtpPort, env: variablesFor(smtpPort, url) }
    }),
  )
}

/** It says so itself: an answer on the port may come from another catcher that took it. */
async function mustBeReady(child: Child, folder: string): Promise<void> {
  const isReady = await Promise.race([child.ready.then(() => true), child.ended.then(() => false)])
  if (!isReady) throw new Problem(`The mail catcher did not start; ${join(folder, 'catcher.log')} tells why.`)
}

function variablesFor(smtpPort: number, url: string): Variables {
  return {
    CATCHER_URL: process.env.CATCHER_URL || url,
    // So that a mailbox may be on the catcher; nothing else of this machine or its network.
    SMTP_ALLOW_PRIVATE_HOSTS: process.env.SMTP_ALLOW_PRIVATE_HOSTS || '127.0.0.1, localhost',
    // The same for a receiver of webhooks that a person tries out.
    WEBHOOK_ALLOW_PRIVATE_HOSTS: process.env.WEBHOOK_ALLOW_PRIVATE_HOSTS || '127.0.0.1, localhost',
    ...systemMailbox(smtpPort),
  }
}

/** The product's own mails go into the catcher, unless the environment names a real mailbox. */
function systemMailbox(smtpPort: number): Variables {
  if (process.env.SYSTEM_MAIL_URL) return {}
  return {
    SYSTEM_MAIL_URL: `smtp://127.0.0.1:${smtpPort}`,
    SYSTEM_MAIL_FROM: process.env.SYSTEM_MAIL_FROM || 'sendonce@localhost.localdomain',
  }
}
