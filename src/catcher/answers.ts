import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { PAGE_POLICY } from './layout.ts'

/** What a request comes to; `send` is the one place that writes it. */
export type Answer = { status: number; headers?: OutgoingHttpHeaders; body?: string | Buffer }

const COMMON = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Not 'no-referrer': the browser would then send "Origin: null" with the catcher's own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...COMMON, ...headers }).end(body)
}

export function json(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(value) }
}

export function page(status: number, body: string, policy = PAGE_POLICY): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }, body }
}

/** For what came with a mail: to be saved, never to be shown as a page. */
export function file(name: string, contentType: string, body: Buffer): Answer {
  const headers = {
    'content-type': /^[\w.+-]+\/[\w.+-]+$/.test(contentType) ? contentType : 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`,
    'content-security-policy': "sandbox; default-src 'none'",
  }
  return { status: 200, headers, body }
}
