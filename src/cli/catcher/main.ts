import { parseArgs } from 'node:util'
import { listenHttp } from './http.ts'
import { listenSmtp, MESSAGE_BYTES_MAX } from './smtp.ts'
import { openStore } from './store.ts'

const MESSAGES_MAX = 5_000
const USAGE = `Usage: node src/cli/catcher/main.ts --smtp-port N --http-port N --dir PATH [--keep N]

Catches every mail sent to the SMTP port and shows it on the HTTP port, for this machine only. With port 0 the system
chooses; the line on stdout says what it chose. --keep is the number of mails kept (${MESSAGES_MAX} by default).`

/** What is reported once mail can be sent, as a line of JSON on stdout and as a message to a parent that forked us. */
export type CatcherReady = { smtpPort: number; httpPort: number; url: string; pid: number }

const { smtpPort, httpPort, dir, keep } = readArguments()

try {
  const store = await openStore(dir, { messagesMax: keep, bytesMax: MESSAGE_BYTES_MAX })
  const smtp = await listenSmtp(store, smtpPort)
  const http = await listenHttp(store, httpPort, smtp.port)

  let stopping = false
  const stop = async () => {
    if (stopping) process.exit(1)
    stopping = true
    await Promise.all([smtp.close(), http.close()])
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // The parent may die by SIGKILL and tell nobody; the channel to it closes all the same.
  process.on('disconnect', stop)

  const url = `http://127.0.0.1:${http.port}`
  const ready: CatcherReady = { smtpPort: smtp.port, httpPort: http.port, url, pid: process.pid }
  console.log(JSON.stringify(ready))
  process.send?.(ready)
} catch (error) {
  fail(explain(error))
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        'smtp-port': { type: 'string' },
        'http-port': { type: 'string' },
        dir: { type: 'string' },
        keep: { type: 'string', default: String(MESSAGES_MAX) },
      },
    })
    if (!values.dir) throw new Error('--dir is missing')
    return {
      smtpPort: wholeNumber('--smtp-port', values['smtp-port'], 0, 65_535),
      httpPort: wholeNumber('--http-port', values['http-port'], 0, 65_535),
      keep: wholeNumber('--keep', values.keep, 1, 1_000_000),
      dir: values.dir,
    }
  } catch (error) {
    return fail(`${explain(error)}\n\n${USAGE}`)
  }
}

function wholeNumber(name: string, text: string | undefined, min: number, max: number): number {
  const value = /^\d+$/.test(text ?? '') ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw new Error(`${name} is a whole number from ${min} to ${max}`)
  return value
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
    return `Port ${error.port} is taken by another program. Choose another, or 0 for any that is free.`
  }
  return error.message
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
