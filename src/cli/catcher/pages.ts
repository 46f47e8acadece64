import type { Context } from './http.ts'
import { ROWS_PER_STEP, renderInbox, renderList } from './inbox-page.ts'
import { postOneClick } from './list-unsubscribe.ts'
import { framePolicy, renderFrame } from './mail-frame.ts'
import { type MessageView, renderMessage, renderMissing, TABS, type Tab } from './message-page.ts'
import { parseMessage } from './parse.ts'
import { downloadHeaders, sendJson, sendPage } from './respond.ts'

export async function answerPage(context: Context) {
  const { store, smtpPort, url, request, response } = context
  const path = url.pathname
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead && !path.endsWith('/unsubscribe')) return sendJson(response, 405, { error: 'Pages can only be read' })
  if (path === '/' || path === '/list') {
    const rows = Math.max(Number.parseInt(url.searchParams.get('rows') ?? '', 10) || 0, ROWS_PER_STEP)
    const query = { words: url.searchParams.get('q')?.trim() ?? '', rows }
    if (path === '/') return sendPage(response, 200, renderInbox(store, query, smtpPort, new Date()))
    return sendListIfChanged(context, () => renderList(store, query, smtpPort, new Date()).markup)
  }

  const [, id = '', rest = ''] = path.match(/^\/m\/([0-9a-z]+)(\/.+)?$/) ?? []
  const found = store.get(id)
  if (!found) return sendPage(response, 404, renderMissing(store.size()))
  if (rest === '/raw') {
    response.writeHead(200, downloadHeaders(`${id}.eml`, 'message/rfc822'))
    return store
      .stream(id)
      .once('error', () => response.destroy())
      .pipe(response)
  }

  const raw = await store.read(id)
  const message = await parseMessage(raw)
  const withImages = url.searchParams.has('images')
  const tab = tabFrom(url.searchParams.get('tab')) ?? (message.html === null ? 'text' : 'html')
  const view: MessageView = { found, message, raw, tab, withImages, mailCount: store.size() }

  if (rest === '') return sendPage(response, 200, renderMessage(view))
  if (rest === '/html') return sendPage(response, 200, renderFrame(message.html ?? ''), framePolicy(withImages))
  if (rest === '/unsubscribe') return await unsubscribe(context, view)
  const attachment = rest.startsWith('/attachments/') && message.attachments[Number(rest.slice('/attachments/'.length))]
  if (!attachment) return sendPage(response, 404, renderMissing(store.size()))
  response.writeHead(200, downloadHeaders(attachment.filename ?? 'attachment', attachment.contentType))
  return response.end(attachment.content)
}

async function unsubscribe({ request, response }: Context, view: MessageView) {
  const url = view.message.listUnsubscribe?.oneClickUrl
  if (request.method !== 'POST' || !url) return sendJson(response, 405, { error: 'Nothing to unsubscribe from here' })
  return sendPage(response, 200, renderMessage({ ...view, answer: await postOneClick(url) }))
}

/** Most polls find nothing new, and then nothing is rendered and nothing on the page moves. */
function sendListIfChanged({ store, request, response }: Context, render: () => string) {
  const etag = `"${store.revision()}"`
  if (request.headers['if-none-match'] === etag) return response.writeHead(304).end()
  response.setHeader('etag', etag)
  return sendPage(response, 200, render())
}

function tabFrom(name: string | null): Tab | undefined {
  return Object.keys(TABS).find((tab): tab is Tab => tab === name)
}
