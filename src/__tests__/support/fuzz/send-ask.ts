import type { RawAnswer } from '#tests/support/server/raw-request.ts'
import { sendRaw } from '#tests/support/server/raw-request.ts'
import type { FuzzPlace } from './place.ts'
import { type Ask, withIds } from './requests.ts'

export type Sent = { answer: RawAnswer; sent: string; ms: number }

/** A request as bytes, as a browser at our own address would send it where the request itself does not say otherwise. */
export async function sendAsk(place: FuzzPlace, ask: Ask): Promise<Sent> {
  const resolve = place.resolverFor(ask.caller)
  // One byte for each sign, so that what is no text in any encoding goes out as it is.
  const body = ask.body === undefined ? undefined : withIds(Buffer.from(ask.body as string).toString('latin1'), resolve)
  const own = new Set(ask.headers.map(([name]) => name))
  const headers = [
    ...Object.entries({ Host: new URL(place.app.url).host, Origin: place.app.url, 'Sec-Fetch-Site': 'same-origin' }),
    ['Connection', 'close'],
    ...place.headersOf(ask.caller),
  ].filter(([name = '']) => !own.has(name))
  const lines = [...headers, ...ask.headers, ...lengthOf(ask, body)].map(([name, value]) => `${name}: ${value}`)
  const head = `${ask.method} ${withIds(ask.address, resolve)} HTTP/1.1`
  const sent = `${[head, ...lines].join('\r\n')}\r\n\r\n${body === undefined ? '' : written(ask, body)}`
  const startedMs = performance.now()
  const answer = await sendRaw(place.app.url, Buffer.from(sent, 'latin1'), { isCutShort: ask.how === 'cut-short' })
  const location = answer.headers.get('location')?.[0]
  if (answer.status === 201 && location) place.notice(ask.caller, location)
  return { answer, sent, ms: performance.now() - startedMs }
}

function lengthOf({ how }: Ask, body: string | undefined): [string, string][] {
  if (body === undefined) return []
  if (how === 'chunks') return [['Transfer-Encoding', 'chunked']]
  return [['Content-Length', String(body.length + (how === 'cut-short' ? 10 : 0))]]
}

function written({ how }: Ask, body: string): string {
  if (how !== 'chunks') return body
  const middle = Math.floor(body.length / 2)
  const chunks = [body.slice(0, middle), body.slice(middle)].filter((part) => part !== '')
  return `${chunks.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`
}
