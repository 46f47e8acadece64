import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type Catcher, call, dir, get, list, onlyMessage, send, startCatcher } from '#tests/support/mail/catcher.ts'

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
    expect((await get(catcher, '/api/messages?limit=none')).status).toBe(400)
    expect((await get(catcher, '/api/messages/nothing')).status).toBe(404)
    const markup = await (await get(catcher, '/?q=dan+invit')).text()
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
    await send(catcher, {})
    const press = (origin: string) => call(catcher, 'POST', '/clear', { origin })
    expect((await press('https://evil.test')).status).toBe(403)
    expect((await list(catcher)).total).toBe(1)
    expect(await press(catcher.url)).toMatchObject({ status: 303, location: '/' })
    expect((await list(catcher)).total).toBe(0)
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
    for (const path of ['/', `/?q=${encodeURIComponent(BREAK_OUT)}`, ...views]) {
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
    expect((await call(catcher, 'POST', `/m/${newest?.id}/unsubscribe`, {})).body).toContain('401 Unauthorized')
  })

  function unsubscribeHeaders(url: string) {
    return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  }
})

async function page(catcher: Catcher, path: string) {
  const response = await get(catcher, path)
  return { status: response.status, policy: response.headers.get('content-security-policy') ?? '', response }
}
