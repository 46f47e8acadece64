import type { Context } from './http.ts'
import { parseMessage } from './parse.ts'
import { sendJson } from './respond.ts'

const LIMIT_DEFAULT = 50

export async function answerApi({ store, url, request, response }: Context) {
  const method = request.method ?? 'GET'
  if (url.pathname === '/api/messages' && method === 'DELETE') {
    return sendJson(response, 200, { deleted: await store.clear() })
  }
  if (method !== 'GET') return sendJson(response, 405, { error: `${method} is not possible here` })

  if (url.pathname === '/api/messages') {
    const limit = Number(url.searchParams.get('limit') ?? LIMIT_DEFAULT)
    if (!Number.isInteger(limit) || limit < 1) return sendJson(response, 400, { error: 'limit is a number from 1' })
    const to = url.searchParams.get('to') ?? ''
    const subject = url.searchParams.get('subject') ?? ''
    const found = store.find({ to, subject })
    return sendJson(response, 200, { total: store.size(), matching: found.length, messages: found.slice(0, limit) })
  }

  const [, id] = url.pathname.match(/^\/api\/messages\/([0-9a-z]+)$/) ?? []
  const found = id && store.get(id)
  if (!found) return sendJson(response, 404, { error: 'No such mail' })
  const { attachments, ...message } = await parseMessage(await store.read(found.summary.id))
  return sendJson(response, 200, {
    ...message,
    ...found.summary,
    toHeader: message.to,
    attachments: attachments.map(({ filename, contentType, size, contentId }, index) => ({
      filename: filename ?? null,
      contentType,
      bytes: size,
      contentId: contentId ?? null,
      href: `/m/${found.summary.id}/attachments/${index}`,
    })),
  })
}
