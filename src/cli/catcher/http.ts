import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerApi } from './api.ts'
import { isLocalHost, isOwnPage } from './origin.ts'
import { answerPage } from './pages.ts'
import { sendJson } from './respond.ts'
import type { Store } from './store.ts'

export type Context = { store: Store; smtpPort: number; url: URL; request: IncomingMessage; response: ServerResponse }

/** The inbox: pages for people, JSON for tests. Only for this machine, and only for its own pages. */
export async function listenHttp(store: Store, port: number, smtpPort: number) {
  const server = createServer((request, response) => {
    answer(store, smtpPort, request, response).catch((error: Error) => {
      console.error(error)
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { error: error.message })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(store: Store, smtpPort: number, request: IncomingMessage, response: ServerResponse) {
  if (!isLocalHost(request)) return sendJson(response, 403, { error: 'Ask for localhost or 127.0.0.1 by that name' })
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead && !isOwnPage(request)) return sendJson(response, 403, { error: 'Only the catcher itself may do that' })
  request.resume()
  const context = { store, smtpPort, url: new URL(request.url ?? '/', 'http://localhost'), request, response }
  if (context.url.pathname.startsWith('/api/')) return await answerApi(context)
  return await answerPage(context)
}
