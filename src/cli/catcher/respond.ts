import type { ServerResponse } from 'node:http'
import { PAGE_POLICY } from './layout.ts'

const COMMON = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Not 'no-referrer': the browser would then send "Origin: null" with the catcher's own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

export function sendJson(response: ServerResponse, status: number, value: unknown) {
  response.writeHead(status, { ...COMMON, 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(value))
}

export function sendPage(response: ServerResponse, status: number, markup: string, policy = PAGE_POLICY) {
  response.writeHead(status, {
    ...COMMON,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
  })
  response.end(markup)
}

/** Headers for something that came with a mail: to be saved, never to be shown as a page. */
export function downloadHeaders(filename: string, contentType: string) {
  const ascii = filename.replace(/[^\w. -]/g, '_')
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  )
  return {
    ...COMMON,
    'content-type': /^[\w.+-]+\/[\w.+-]+$/.test(contentType) ? contentType : 'application/octet-stream',
    'content-disposition': `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    'content-security-policy': "sandbox; default-src 'none'",
  }
}
