import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import nodemailer from 'nodemailer'
import { describe, expect, test } from 'vitest'
import { dir, get, kill, list, onlyMessage, send, startCatcher } from '#tests/support/mail/catcher.ts'

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
    const file = join(dir, `${whole?.id}.eml`)
    const stored = await readFile(file, 'utf8')
    await writeFile(file, stored.slice(stored.indexOf('\n') + 1))
    await writeFile(join(dir, '0mi300000deadbeef.eml.tmp'), 'half a mail')

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
      socket.end('Subject: half\r\n\r\nhalf of')
      break
    }
    await send(catcher, { subject: 'The next one' })
    expect((await onlyMessage(catcher)).subject).toBe('The next one')
    expect(await readdir(dir)).toHaveLength(1)
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
    expect(await readdir(dir)).toHaveLength(3)
    expect(await (await get(catcher)).text()).toContain('The newest 3 mails are kept')
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
    const markup = await (await get(catcher, `/m/${message.id}`)).text()
    expect(markup).toContain('501 recipients')
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
    const first = await get(catcher, attachments[0]?.href)
    expect(Buffer.from(await first.arrayBuffer()).equals(bytes)).toBe(true)
    expect(first.headers.get('content-disposition')).toBe(
      `attachment; filename*=UTF-8''%C3%9Cbersicht%20%22final%22.bin`,
    )
    const second = await get(catcher, attachments[1]?.href)
    expect(second.headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(second.headers.get('x-content-type-options')).toBe('nosniff')
    expect(second.headers.get('content-security-policy')).toContain('sandbox')
  })

  test('but none above 40 MB: 552, announced or not, and the connection goes on', async () => {
    const catcher = await startCatcher()
    const announced = ['EHLO me', `MAIL FROM:<a@a.test> SIZE=${41 * 1024 * 1024}`]
    expect((await converse(catcher.smtpPort, announced)).at(-1)).toMatch(/^552 /)

    const tooLarge = Buffer.concat([Buffer.alloc(40 * 1024 * 1024 + 1, 'x\r\n'), Buffer.from('\r\n.')])
    const begin = ['MAIL FROM:<a@a.test>', 'RCPT TO:<b@b.test>', 'DATA']
    const replies = await converse(catcher.smtpPort, [
      'EHLO me',
      ...begin,
      tooLarge,
      ...begin,
      'Subject: fits\r\n\r\n.',
    ])
    expect(replies[5]).toMatch(/^552 .*larger than 41943040 bytes/)
    expect(replies.at(-1)).toMatch(/^250 /)
    expect((await onlyMessage(catcher)).subject).toBe('fits')
    expect(await readdir(dir)).toHaveLength(1)
  })
})

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
