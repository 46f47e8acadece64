import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#cli/ports.ts'
import { endsWithUs, hasEnded } from '#tests/support/server/reaper.ts'
import type { Certificate } from './certificates.ts'

export type Postfix = {
  port: number
  /** The messages that lie in the mailbox, as they came out at the far end. */
  delivered(): Buffer[]
  /** What it has been handed and not yet put into the mailbox. */
  queued(): number
  log(): string
  stop(): Promise<void>
}

/** Why this machine cannot run one; undefined where it can. */
export function missingForPostfix(): string | undefined {
  if (process.getuid?.() !== 0)
    return 'Postfix starts only for root, since each of its parts runs as a user of its own.'
  const found = spawnSync('postconf', ['-h', 'mail_version'], { encoding: 'utf8' })
  if (found.error) return 'Postfix is not installed. On Debian: apt-get install --no-install-recommends postfix'
  return undefined
}

/** Names of services as Debian's master.cf has them, without its chroots and with nothing that sends further. */
const SERVICES = `
cleanup   unix  n - n - 0 cleanup
qmgr      unix  n - n 5 1 qmgr
tlsmgr    unix  - - n 1000? 1 tlsmgr
rewrite   unix  - - n - - trivial-rewrite
bounce    unix  - - n - 0 bounce
defer     unix  - - n - 0 bounce
trace     unix  - - n - 0 bounce
verify    unix  - - n - 1 verify
proxymap  unix  - - n - - proxymap
showq     unix  n - n - - showq
error     unix  - - n - - error
retry     unix  - - n - - error
discard   unix  - - n - - discard
virtual   unix  - n n - - virtual
anvil     unix  - - n - 1 anvil
postlog   unix-dgram n - n - 1 postlogd
`

/** A Postfix of its own beside the machine's: its queue, its log and one mailbox for a whole domain in a temporary folder. */
export async function startPostfix(domain: string, { cert, key }: Pick<Certificate, 'cert' | 'key'>): Promise<Postfix> {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-postfix-'))
  // The parts that are not root must get in.
  chmodSync(folder, 0o755)
  const at = (name: string) => join(folder, name)
  for (const name of ['config', 'queue', 'state', 'mail']) mkdirSync(at(name))
  writeFileSync(at('cert.pem'), `${key}${cert}`, { mode: 0o600 })
  const port = await freePort(0)
  const owner = idOf('postfix')
  spawnSync('chown', ['postfix', at('state'), at('mail')])
  writeFileSync(at('config/master.cf'), `127.0.0.1:${port} inet n - n - - smtpd\n${SERVICES}`)
  writeFileSync(
    at('config/main.cf'),
    Object.entries({
      compatibility_level: '3.6',
      queue_directory: at('queue'),
      data_directory: at('state'),
      maillog_file: at('log'),
      maillog_file_prefixes: folder,
      myhostname: 'mx.postfix.test',
      inet_interfaces: '127.0.0.1',
      inet_protocols: 'ipv4',
      mydestination: '',
      local_recipient_maps: '',
      alias_maps: '',
      mynetworks: '127.0.0.0/8',
      smtpd_tls_chain_files: at('cert.pem'),
      smtpd_tls_security_level: 'encrypt',
      smtpd_tls_loglevel: '1',
      // Nothing that is for anybody else may leave this machine.
      default_transport: 'error:only one domain is served here',
      relay_transport: 'error:only one domain is served here',
      virtual_mailbox_domains: domain,
      virtual_mailbox_base: at('mail'),
      virtual_mailbox_maps: 'static:box/',
      virtual_uid_maps: `static:${owner}`,
      virtual_gid_maps: `static:${owner}`,
      virtual_minimum_uid: '1',
    })
      .map(([name, value]) => `${name} = ${value}\n`)
      .join(''),
  )
  // In front, so that it ends with us; `postfix start` would leave it to the system.
  const master = spawn('postfix', ['-c', at('config'), 'start-fg'], { stdio: ['ignore', 'ignore', 'ignore'] })
  endsWithUs({ folder, ...(master.pid && { pid: master.pid }) })
  const log = () => readFileSync(at('log'), 'utf8')
  const ended = new Promise<void>((done) => master.once('exit', () => done()))
  const stop = async () => {
    spawnSync('postfix', ['-c', at('config'), 'stop'], { stdio: 'ignore' })
    await Promise.race([ended, sleep(10_000, undefined, { ref: false })])
    master.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
    hasEnded({ folder, ...(master.pid && { pid: master.pid }) })
  }
  for (let tries = 0; tries < 200 && master.exitCode === null; tries += 1) {
    if (/daemon started/.test(readIfThere(at('log')))) {
      const box = at('mail/box/new')
      return {
        port,
        delivered: () => namesIn(box).map((name) => readFileSync(join(box, name))),
        queued: () =>
          ['incoming', 'active', 'deferred'].reduce((sum, name) => sum + filesUnder(at(`queue/${name}`)), 0),
        log,
        stop,
      }
    }
    await sleep(50)
  }
  const said = readIfThere(at('log'))
  await stop()
  throw new Error(`Postfix did not start:\n${said}`)
}

function idOf(user: string): number {
  return Number(spawnSync('id', ['-u', user], { encoding: 'utf8' }).stdout)
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // it has said nothing yet
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // nothing has been delivered yet
  }
}

function filesUnder(folder: string): number {
  return namesIn(folder).reduce((sum, name) => {
    const path = join(folder, name)
    return sum + (statSync(path).isDirectory() ? filesUnder(path) : 1)
  }, 0)
}
