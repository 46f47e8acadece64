import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import nodemailer, { type SendMailOptions } from 'nodemailer'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CatcherReady } from '#cli/catcher/main.ts'
import type { Summary } from '#cli/catcher/summary.ts'

const MAIN = fileURLToPath(new URL('../../cli/catcher/main.ts', import.meta.url))

type Catcher = CatcherReady & { child: ChildProcess }
type MessageList = { total: number; matching: number; messages: Summary[] }
type Message = Summary & {
  toHeader: string
  headers: { name: string; value: string }[]
  text: string | null
  html: string | null
  links: string[]
  attachments: { filename: string | null; contentType: string; bytes: number; href: string }[]
}

let dir: string
const started: ChildProcess[] = []

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'catcher-test-'))
})

afterEach(async () => {
  for (const child of started.splice(0)) await kill(child)
  await rm(dir, { recursive: true, force: true })
})

async function startCatcher(...more: string[]): Promise<Catcher> {
  const child = spawn(process.execPath, [MAIN, '--smtp-port', '0', '--http-port', '0', '--dir', dir, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
  const ready: CatcherReady = JSON.parse(await firstLine(child))
  return { ...ready, child }
}

async function firstLine(child: ChildProcess): Promise<string> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += chunk
    if (output.includes('\n')) return output.slice(0, output.indexOf('\n'))
  }
  throw new Error(`The process ended without a line: ${output}`)
}

async function kill(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

async function send(catcher: Catcher, mail: SendMailOptions, options: object = {}) {
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port: catcher.smtpPort, ...options })
  try {
    return await transport.sendMail({ from: 'Ada <ada@sender.test>', to: 'bo@there.test', subject: 'Hello', ...mail })
  } finally {
    transport.close()
  }
}

async function getJson<T>(catcher: Catcher, path: string): Promise<T> {
  const response = await fetch(catcher.url + path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

const list = (catcher: Catcher, query = '') => getJson<MessageList>(catcher, `/api/messages${query}`)

async function onlyMessage(catcher: Catcher): Promise<Message> {
  const { messages } = await list(catcher)
  expect(messages).toHaveLength(1)
  return await getJson<Message>(catcher, `/api/messages/${messages[0]?.id}`)
}

async function page(catcher: Catcher, path: string) {
  const response = await fetch(catcher.url + path)
  return { status: response.status, policy: response.headers.get('content-security-policy') ?? '', response }
}

/** Speaks SMTP line by line; the last line is sent as it is, without waiting for what it answers. */
async function converse(port: number, lines: (string | Buffer)[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1')
  const replies: string[] = []
  let next = 0
  for await (const chunk of socket) {
    for (const reply of String(chunk).trim().split('\r\n')) if (/^\d{3} /.test(reply)) replies.push(reply)
    while (next < lines.length && next < replies.length) {
      socket.write(lines[next++] ?? '')
      socket.write('\r\n')
    }
    if (replies.length > lines.length) socket.end()
  }
  return replies
}

describe('what is answered with 250 is kept', () => {
  test('a catcher killed right after its 250 still has the mail when it comes back', async () => {
    for (let round = 1; round <= 5; round++) {
      const catcher = await startCatcher()
      const { response } = await send(catcher, { subject: `Round ${round}`, text: 'kept' })
      catcher.child.kill('SIGKILL')
      expect(response).toMatch(/^250/)
      await once(catcher.child, 'exit')
    }
    const { messages } = await list(await startCatcher())
    expect(messages.map(({ subject }) => subject)).toEqual(['Round 5', 'Round 4', 'Round 3', 'Round 2', 'Round 1'])
    expect(messages[0]?.envelope).toEqual({ from: 'ada@sender.test', to: ['bo@there.test'] })
  })

  test('what a crash left half done is cleared away, and a mail without its envelope still shows', async () => {
    const catcher = await startCatcher()
    await send(catcher, { subject: 'Whole' })
    const [whole] = (await list(catcher)).messages
    await kill(catcher.child)
    await rm(join(dir, `${whole?.id}.json`))
    await writeFile(join(dir, '0mi300000000deadbeef.eml.tmp'), 'half a mail')
    await writeFile(join(dir, '0mi300000000deadbeef.json'), '{}')

    const { messages } = await list(await startCatcher())
    expect(messages).toMatchObject([{ id: whole?.id, subject: 'Whole', to: ['bo@there.test'] }])
    expect(await readdir(dir)).toEqual([`${whole?.id}.eml`])
  })

  test('of a client that dies in the middle of a mail nothing is left', async () => {
    const catcher = await startCatcher()
    const socket = connect(catcher.smtpPort, '127.0.0.1')
    socket.write('EHLO me\r\nMAIL FROM:<a@a.test>\r\nRCPT TO:<b@b.test>\r\nDATA\r\n')
    for await (const chunk of socket) {
      if (!String(chunk).includes('354')) continue
      socket.write('Subject: half\r\n\r\nhalf of')
      await expect.poll(() => readdir(dir)).toHaveLength(1)
      socket.destroy()
      break
    }
    await expect.poll(() => readdir(dir)).toEqual([])
    expect((await list(catcher)).total).toBe(0)
  })

  test('many mails at once are all there, once each', async () => {
    const catcher = await startCatcher()
    const transport = nodemailer.createTransport({
      host: '127.0.0.1',
      port: catcher.smtpPort,
      pool: true,
      maxConnections: 10,
    })
    const subjects = Array.from({ length: 200 }, (_, index) => `Number ${index}`)
    await Promise.all(subjects.map((subject) => transport.sendMail({ from: 'a@a.test', to: 'b@b.test', subject })))
    transport.close()
    const { messages } = await list(catcher, '?limit=1000')
    expect(messages.map(({ subject }) => subject).sort()).toEqual(subjects.sort())
    expect(messages.map(({ id }) => id)).toEqual(
      messages
        .map(({ id }) => id)
        .sort()
        .reverse(),
    )
  })

  test('beyond the limit the oldest go, from the disk too', async () => {
    const catcher = await startCatcher('--keep', '3')
    for (const subject of ['one', 'two', 'three', 'four', 'five']) await send(catcher, { subject })
    const { messages } = await list(catcher)
    expect(messages.map(({ subject }) => subject)).toEqual(['five', 'four', 'three'])
    expect(await readdir(dir)).toHaveLength(6)
    expect(await (await fetch(catcher.url)).text()).toContain('The newest 3 mails are kept')
  })
})

describe('every mail is taken', () => {
  test('Unicode in addresses, names, subject and text', async () => {
    const catcher = await startCatcher()
    await send(catcher, {
      from: { name: 'Zoë 🦊', address: 'zoë@münchen.test' },
      to: { name: '山田', address: '用户@例子.test' },
      subject: 'Grüße 你好 👋🏽',
      text: 'naïve — ünïcödé 🎉',
    })
    const message = await onlyMessage(catcher)
    expect(message.subject).toBe('Grüße 你好 👋🏽')
    expect(message.from).toContain('Zoë 🦊')
    expect(message.text?.trim()).toBe('naïve — ünïcödé 🎉')
    expect(message.envelope.to[0]).toContain('用户@')
  })

  test('raw UTF-8 headers are shown as they travelled', async () => {
    const catcher = await startCatcher()
    const mail = 'Subject: Grüße 你好\r\nX-Folded: one\r\n two\r\n\r\nhi\r\n.'
    const dialogue = ['EHLO me', 'MAIL FROM:<zoë@a.test> SMTPUTF8', 'RCPT TO:<b@b.test>', 'DATA', mail]
    expect((await converse(catcher.smtpPort, dialogue)).at(-1)).toMatch(/^250 /)
    const message = await onlyMessage(catcher)
    expect(message.subject).toBe('Grüße 你好')
    expect(message.headers).toContainEqual({ name: 'Subject', value: 'Grüße 你好' })
    expect(message.headers).toContainEqual({ name: 'X-Folded', value: 'one two' })
    expect(message.envelope.from).toBe('zoë@a.test')
  })

  test('any password or none, plain or over STARTTLS', async () => {
    const catcher = await startCatcher()
    await send(catcher, { subject: 'none' })
    await send(catcher, { subject: 'plain' }, { auth: { user: 'anyone', pass: 'anything' } })
    await send(catcher, { subject: 'login' }, { auth: { user: 'anyone', pass: 'x' }, authMethod: 'LOGIN' })
    await send(catcher, { subject: 'tls' }, { requireTLS: true, tls: { rejectUnauthorized: false } })
    expect((await list(catcher)).messages.map(({ subject }) => subject)).toEqual(['tls', 'login', 'plain', 'none'])
  })

  test('five hundred recipients, blind copies included', async () => {
    const catcher = await startCatcher()
    const bcc = Array.from({ length: 500 }, (_, index) => `guest${index}@there.test`)
    await send(catcher, { bcc })
    const message = await onlyMessage(catcher)
    expect(message.envelope.to).toEqual(['bo@there.test', ...bcc])
    expect((await list(catcher, '?to=guest499@')).matching).toBe(1)
    const markup = await (await page(catcher, `/m/${message.id}`)).response.text()
    expect(markup).toContain('and 497 more')
  })

  test('attachments come back byte for byte, to be saved and not shown', async () => {
    const catcher = await startCatcher()
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 256))
    await send(catcher, {
      attachments: [
        { filename: 'Übersicht "final".bin', content: bytes },
        { filename: 'page.html', content: '<script>alert(1)</script>', contentType: 'text/html' },
      ],
    })
    const { attachments } = await onlyMessage(catcher)
    expect(attachments).toMatchObject([
      { filename: 'Übersicht "final".bin', bytes: bytes.length },
      { filename: 'page.html', contentType: 'text/html' },
    ])
    const first = await fetch(catcher.url + attachments[0]?.href)
    expect(Buffer.from(await first.arrayBuffer()).equals(bytes)).toBe(true)
    expect(first.headers.get('content-disposition')).toBe(
      `attachment; filename="_bersicht _final_.bin"; filename*=UTF-8''%C3%9Cbersicht%20%22final%22.bin`,
    )
    const second = await fetch(catcher.url + attachments[1]?.href)
    expect(second.headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(second.headers.get('x-content-type-options')).toBe('nosniff')
    expect(second.headers.get('content-security-policy')).toContain('sandbox')
  })

  test('but none above 25 MB: 552, announced or not, and the connection goes on', async () => {
    const catcher = await startCatcher()
    const announced = ['EHLO me', `MAIL FROM:<a@a.test> SIZE=${26 * 1024 * 1024}`]
    expect((await converse(catcher.smtpPort, announced)).at(-1)).toMatch(/^552 /)

    const tooLarge = Buffer.concat([Buffer.alloc(25 * 1024 * 1024 + 1, 'x\r\n'), Buffer.from('\r\n.')])
    const begin = ['MAIL FROM:<a@a.test>', 'RCPT TO:<b@b.test>', 'DATA']
    const replies = await converse(catcher.smtpPort, [
      'EHLO me',
      ...begin,
      tooLarge,
      ...begin,
      'Subject: fits\r\n\r\n.',
    ])
    expect(replies[5]).toMatch(/^552 .*larger than 26214400 bytes/)
    expect(replies.at(-1)).toMatch(/^250 /)
    expect((await onlyMessage(catcher)).subject).toBe('fits')
    expect(await readdir(dir)).toHaveLength(2)
  })
})

describe('the API', () => {
  test('filters by recipient and subject, without regard to case, newest first', async () => {
    const catcher = await startCatcher()
    await send(catcher, { to: 'Carla@one.test', subject: 'Your invitation' })
    await send(catcher, { to: 'carla@one.test', subject: 'Reset your password' })
    await send(catcher, { to: 'dan@two.test', subject: 'Your invitation' })
    const subjects = async (query: string) => (await list(catcher, query)).messages.map(({ subject }) => subject)
    expect(await subjects('?to=CARLA@one.test')).toEqual(['Reset your password', 'Your invitation'])
    expect(await subjects('?to=carla@one.test&subject=INVIT')).toEqual(['Your invitation'])
    expect(await list(catcher, '?limit=1')).toMatchObject({
      total: 3,
      matching: 3,
      messages: [{ to: ['dan@two.test'] }],
    })
    expect((await fetch(`${catcher.url}/api/messages?limit=none`)).status).toBe(400)
    expect((await fetch(`${catcher.url}/api/messages/nothing`)).status).toBe(404)
    const markup = await (await fetch(`${catcher.url}/list?q=dan+invit`)).text()
    expect(markup).toContain('dan@two.test')
    expect(markup).not.toContain('one.test')
  })

  test('gives the links of a mail, decoded, once each', async () => {
    const catcher = await startCatcher()
    await send(catcher, {
      text: 'Open (https://app.test/invite?a=1&b=2), or https://app.test/help.',
      html: '<a class=x href="https://app.test/invite?a=1&amp;b=2">Join</a> <a href=\'/relative\'>no</a>',
    })
    const { links, html } = await onlyMessage(catcher)
    expect(links).toEqual(['https://app.test/invite?a=1&b=2', 'https://app.test/help'])
    expect(html).toContain('<a class=x')
  })

  test('empties the inbox for its own page and for programs, not for another site', async () => {
    const catcher = await startCatcher()
    await send(catcher, {})
    const clear = (headers: Record<string, string>) => call(catcher, 'DELETE', '/api/messages', headers)
    expect((await clear({ origin: 'https://evil.test' })).status).toBe(403)
    expect((await clear({ origin: 'null' })).status).toBe(403)
    expect((await clear({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await clear({ 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await list(catcher)).total).toBe(1)
    expect(await clear({ origin: catcher.url, 'sec-fetch-site': 'same-origin' })).toMatchObject({
      status: 200,
      body: '{"deleted":1}',
    })
    expect(await readdir(dir)).toEqual([])
    await send(catcher, {})
    expect((await clear({})).status).toBe(200)
  })

  test('answers to no other name than localhost', async () => {
    const catcher = await startCatcher()
    for (const host of [
      'evil.test',
      `127.0.0.1.evil.test:${catcher.httpPort}`,
      'localhost.evil.test',
      'localhost@evil.test',
    ]) {
      expect((await call(catcher, 'GET', '/api/messages', { host })).status).not.toBe(200)
    }
    for (const host of [`localhost:${catcher.httpPort}`, '127.0.0.1', `[::1]:${catcher.httpPort}`]) {
      expect((await call(catcher, 'GET', '/api/messages', { host })).status).toBe(200)
    }
  })
})

describe('a hostile mail runs nothing', () => {
  const SCRIPT = '<script>alert(1)</script>'
  const BREAK_OUT = `"'><img src=x onerror=alert(1)>`

  test('in the inbox, in its own page, or in the search box', async () => {
    const catcher = await startCatcher()
    await send(catcher, {
      from: { name: SCRIPT, address: 'a@a.test' },
      to: { name: BREAK_OUT, address: 'b@b.test' },
      subject: SCRIPT + BREAK_OUT,
      text: `${SCRIPT} https://x.test/${BREAK_OUT} javascript:alert(1)`,
      headers: { 'X-Bad': SCRIPT, 'List-Unsubscribe': '<javascript:alert(1)>' },
      attachments: [{ filename: `${SCRIPT}.txt`, content: 'x' }],
    })
    const { id } = await onlyMessage(catcher)
    const views = ['html', 'text', 'headers', 'raw'].map((tab) => `/m/${id}?tab=${tab}`)
    for (const path of ['/', '/list', `/?q=${encodeURIComponent(BREAK_OUT)}`, ...views]) {
      const { policy, response } = await page(catcher, path)
      const markup = await response.text()
      expect(markup, path).not.toContain('<script>alert')
      expect(markup, path).not.toMatch(/<img/i)
      expect(markup, path).not.toMatch(/href=["']?javascript:/i)
      expect(policy, path).toContain("default-src 'none'")
      expect(policy, path).toContain("frame-ancestors 'none'")
      expect(policy, path).not.toContain('unsafe')
    }
  })

  test('in the frame of its HTML, which is sandboxed by the page and by its own headers', async () => {
    const catcher = await startCatcher()
    const html = `<a href="https://x.test/u" target="_self">leave</a>${SCRIPT}<img src="https://track.test/p.gif">`
    await send(catcher, { html })
    const { id } = await onlyMessage(catcher)
    const markup = await (await page(catcher, `/m/${id}`)).response.text()
    expect(markup).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"')
    expect(markup).not.toContain('track.test')
    expect(markup).toContain('Images from elsewhere are not loaded')

    const frame = await page(catcher, `/m/${id}/html`)
    expect(frame.policy).toContain('sandbox allow-popups allow-popups-to-escape-sandbox;')
    expect(frame.policy).toContain("default-src 'none'")
    expect(frame.policy).toMatch(/img-src data:;/)
    expect(frame.policy).not.toContain('script')
    const content = await frame.response.text()
    expect(content).toContain('<base target="_blank">')
    expect(content).toContain('<a href="https://x.test/u">leave</a>')
    expect((await page(catcher, `/m/${id}/html?images=1`)).policy).toMatch(/img-src data: http: https:;/)
  })
})

describe('one-click unsubscribe', () => {
  test('asks an address on this machine as a mail client would, and shows the answer', async () => {
    const asked: string[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      asked.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`)
      response.writeHead(202).end('You are <b>out</b>')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const catcher = await startCatcher()
      await send(catcher, { headers: unsubscribeHeaders(`http://localhost:${port}/u/token`) })
      const { id } = await onlyMessage(catcher)
      const { response } = await page(catcher, `/m/${id}`)
      expect(await response.text()).toContain('One-click unsubscribe')
      // With 'no-referrer' a browser sends "Origin: null" from this very page, and the button would be refused.
      expect(response.headers.get('referrer-policy')).toBe('same-origin')

      const path = `/m/${id}/unsubscribe`
      expect((await call(catcher, 'POST', path, { origin: 'https://evil.test' })).status).toBe(403)
      expect((await call(catcher, 'GET', path, {})).status).toBe(405)
      expect(asked).toEqual([])
      const { body } = await call(catcher, 'POST', path, { origin: catcher.url })
      expect(asked).toEqual(['POST /u/token application/x-www-form-urlencoded List-Unsubscribe=One-Click'])
      expect(body).toContain('202 Accepted')
      expect(body).toContain('You are &#60;b&#62;out&#60;/b&#62;')
    } finally {
      server.close()
    }
  })

  test('speaks to no other machine, and not to itself', async () => {
    const catcher = await startCatcher()
    for (const host of ['app.example', '10.0.0.1', 'localhost.example', '[::ffff:10.0.0.1]']) {
      await send(catcher, { subject: host, headers: unsubscribeHeaders(`https://${host}/u/token`) })
      const [newest] = (await list(catcher)).messages
      expect((await call(catcher, 'POST', `/m/${newest?.id}/unsubscribe`, {})).body).toContain('not on this machine')
    }
    await send(catcher, { headers: unsubscribeHeaders(`${catcher.url}/m/any/unsubscribe`) })
    const [newest] = (await list(catcher)).messages
    expect((await call(catcher, 'POST', `/m/${newest?.id}/unsubscribe`, {})).body).toContain('403 Forbidden')
  })

  function unsubscribeHeaders(url: string) {
    return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  }
})

describe('the process', () => {
  test('stops cleanly on SIGTERM and SIGINT, also with clients connected', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const catcher = await startCatcher()
      const idle = connect(catcher.smtpPort, '127.0.0.1').on('error', () => undefined)
      await once(idle, 'data')
      await fetch(catcher.url)
      const exit = once(catcher.child, 'exit')
      catcher.child.kill(signal)
      expect(await exit).toEqual([0, null])
    }
  })

  test('says which port is taken', async () => {
    const catcher = await startCatcher()
    const second = spawn(
      process.execPath,
      [MAIN, '--smtp-port', String(catcher.smtpPort), '--http-port', '0', '--dir', dir],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    started.push(second)
    let complaint = ''
    second.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    expect(await once(second, 'close')).toEqual([1, null])
    expect(complaint).toContain(`Port ${catcher.smtpPort} is taken`)
  })

  test('cannot be reached from another machine', async () => {
    const catcher = await startCatcher()
    const addresses = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address)
    if (process.platform === 'linux') addresses.push('127.0.0.2')
    for (const address of addresses) {
      for (const port of [catcher.smtpPort, catcher.httpPort]) {
        await expect(once(connect(port, address), 'connect'), address).rejects.toThrow('ECONNREFUSED')
      }
    }
  })

  test('reports its ports to a parent that forked it, and goes when that parent is killed', async () => {
    const script = `
      const child = require('node:child_process').fork(process.argv[1],
        ['--smtp-port', '0', '--http-port', '0', '--dir', process.argv[2]], { stdio: 'ignore' })
      child.on('message', (ready) => console.log(JSON.stringify(ready)))`
    const parent = spawn(process.execPath, ['-e', script, MAIN, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
    started.push(parent)
    const ready: CatcherReady = JSON.parse(await firstLine(parent))
    expect((await fetch(ready.url)).status).toBe(200)
    await kill(parent)
    await expect.poll(() => isAlive(ready.pid), { timeout: 5_000 }).toBe(false)
  })

  test('goes when the parent lets go of it', async () => {
    const child = fork(MAIN, ['--smtp-port', '0', '--http-port', '0', '--dir', dir], { stdio: 'ignore' })
    started.push(child)
    await once(child, 'message')
    const exit = once(child, 'exit')
    child.disconnect()
    expect(await exit).toEqual([0, null])
  })

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
})

describe('live refresh', () => {
  test('answers 304 until something arrives', async () => {
    const catcher = await startCatcher()
    const first = await fetch(`${catcher.url}/list`)
    expect(await first.text()).toContain('No mail yet')
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    expect((await fetch(`${catcher.url}/list`, { headers })).status).toBe(304)
    await send(catcher, { subject: 'News' })
    expect(await (await fetch(`${catcher.url}/list`, { headers })).text()).toContain('News')
  })
})

/** Unlike fetch, this sends any header as it is told. */
async function call(catcher: Catcher, method: string, path: string, headers: Record<string, string>) {
  return await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const request = httpRequest({ port: catcher.httpPort, host: '127.0.0.1', method, path, headers }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, body }))
    })
    request.on('error', reject).end()
  })
}
