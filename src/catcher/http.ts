import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, file, json, page, send } from './answers.ts'
import { cookieName, isAllowed, isLocalHost, isOwnPage, isToken } from './guard.ts'
import { ROWS_PER_STEP, renderInbox } from './inbox-page.ts'
import { renderNotice } from './layout.ts'
import { parseMessage } from './message.ts'
import { framePolicy, renderFrame, renderMessage, tabOf } from './message-page.ts'
import type { Store } from './store.ts'
import { postOneClick } from './unsubscribe.ts'

export type Catcher = { store: Store; token: string; smtpPort: number }

/** The inbox: pages for people, JSON for tests. Only for this machine, for its own pages, and for the holder of the token. */
export async function listenHttp(catcher: Catcher, port: number): Promise<number> {
  const server = createServer(async (request, response) => {
    request.resume()
    send(response, await answer(catcher, request).catch((error: Error) => json(500, { error: error.message })))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function answer(catcher: Catcher, request: IncomingMessage): Promise<Answer> {
  if (!isLocalHost(request)) return json(403, { error: 'Ask for localhost or 127.0.0.1 by that name' })
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET')
  if (method !== 'GET' && !isOwnPage(request)) return json(403, { error: 'Only the catcher itself may do that' })
  const url = new URL(request.url ?? '/', 'http://localhost')
  const isApi = url.pathname.startsWith('/api/')
  const given = url.searchParams.get('token')
  if (given !== null && !isApi && isToken(given, catcher.token)) {
    // The cookie stands in from now on, so that the token stays in no history and in no bookmark.
    url.searchParams.delete('token')
    const cookie = `${cookieName(request)}=${given}; HttpOnly; SameSite=Lax; Path=/; Max-Age=31536000`
    // With one slash: an address that begins with two would lead to another host.
    const location = url.pathname.replace(/^\/+/, '/') + url.search
    return { status: 303, headers: { location, 'set-cookie': cookie } }
  }
  if (!isAllowed(request, catcher.token)) {
    if (isApi) return json(401, { error: 'Send the token: Authorization: Bearer …' })
    const why = 'These mails are for the person who started Sendonce. Open the address that npm start printed.'
    return page(401, renderNotice('This inbox asks for its token', why))
  }
  return isApi ? await answerApi(catcher.store, method, url) : await answerPage(catcher, method, url)
}

async function answerApi(store: Store, method: string, { pathname, searchParams }: URL): Promise<Answer> {
  const isList = pathname === '/api/messages'
  if (isList && method === 'DELETE') return json(200, { deleted: await store.clear() })
  if (method !== 'GET') return json(405, { error: `${method} is not possible here` })
  if (isList) {
    const limit = Number(searchParams.get('limit') ?? 50)
    if (!Number.isInteger(limit) || limit < 1) return json(400, { error: 'limit is a number from 1' })
    const found = store.find({ to: searchParams.get('to') ?? '', subject: searchParams.get('subject') ?? '' })
    return json(200, { total: store.size(), matching: found.length, messages: found.slice(0, limit) })
  }
  const found = store.get(pathname.slice('/api/messages/'.length))
  if (!found) return json(404, { error: 'No such mail' })
  const { attachments, ...message } = await parseMessage(await store.read(found.summary.id))
  const files = attachments.map(({ filename = null, contentType, size }, index) => {
    return { filename, contentType, bytes: size, href: `/m/${found.summary.id}/attachments/${index}` }
  })
  return json(200, { ...message, ...found.summary, toHeader: message.to, attachments: files })
}

async function answerPage({ store, smtpPort }: Catcher, method: string, url: URL): Promise<Answer> {
  if (method === 'POST' && url.pathname === '/clear') {
    await store.clear()
    return { status: 303, headers: { location: '/' } }
  }
  const [, id = '', rest = ''] = url.pathname.match(/^\/m\/([0-9a-z]+)(\/.+)?$/) ?? []
  const found = store.get(id)
  if (method !== (found && rest === '/unsubscribe' ? 'POST' : 'GET'))
    return json(405, { error: `${method} is not possible here` })
  if (url.pathname === '/') {
    const rows = Math.max(Number.parseInt(url.searchParams.get('rows') ?? '', 10) || 0, ROWS_PER_STEP)
    const words = url.searchParams.get('q')?.trim() ?? ''
    return page(200, renderInbox({ store, smtpPort, words, rows, now: new Date() }))
  }
  if (!found) return page(404, renderNotice('No such mail', 'It was deleted, or newer mails took its place.'))

  const raw = await store.read(id)
  const message = await parseMessage(raw)
  const withImages = url.searchParams.has('images')
  const view = { ...found, message, raw, tab: tabOf(url.searchParams.get('tab'), message), withImages }
  if (rest === '') return page(200, renderMessage(view))
  if (rest === '/raw') return file(`${id}.eml`, 'message/rfc822', raw)
  if (rest === '/html') return page(200, renderFrame(message.html ?? ''), framePolicy(withImages))
  if (rest === '/unsubscribe' && message.oneClickUrl) {
    return page(200, renderMessage({ ...view, answer: await postOneClick(message.oneClickUrl) }))
  }
  const attachment = message.attachments[Number(/^\/attachments\/(\d+)$/.exec(rest)?.[1])]
  if (!attachment) return page(404, renderNotice('No such part', 'This mail does not hold it.'))
  return file(attachment.filename ?? 'attachment', attachment.contentType, attachment.content)
}
