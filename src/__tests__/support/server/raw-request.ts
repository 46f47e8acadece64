import { connect } from 'node:net'

export type RawAnswer = {
  status: number
  /** By their names in small letters, each as often as it came. */
  headers: Map<string, string[]>
  body: string
  /** As long as its headers said. */
  isWhole: boolean
}

/** What no client would send, to the letter; answers when the server has closed the connection. */
export async function sendRaw(
  url: string,
  request: string | Uint8Array,
  { isCutShort = false } = {},
): Promise<RawAnswer> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  // A server that has refused what it was sent may reset the connection behind its answer; that is its end as well.
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('end', () => socket.end())
  socket.write(request)
  if (isCutShort) socket.end()
  await closed
  return answerIn(Buffer.concat(chunks))
}

function answerIn(bytes: Buffer): RawAnswer {
  const answer = bytes.toString('latin1').replace(/^(HTTP\/1\.1 100 [^\r]*\r\n\r\n)+/, '')
  const end = answer.indexOf('\r\n\r\n')
  const [line = '', ...fields] = (end < 0 ? answer : answer.slice(0, end)).split('\r\n')
  const headers = new Map<string, string[]>()
  for (const field of fields) {
    const name = field.slice(0, field.indexOf(':')).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), field.slice(field.indexOf(':') + 1).trim()])
  }
  const sent = end < 0 ? '' : answer.slice(end + 4)
  const isChunked = headers.get('transfer-encoding')?.[0] === 'chunked'
  const body = Buffer.from(isChunked ? joined(sent) : sent, 'latin1').toString('utf8')
  const isWhole = isChunked
    ? sent.endsWith('0\r\n\r\n')
    : sent.length >= Number(headers.get('content-length')?.[0] ?? 0)
  return { status: Number(line.split(' ')[1]), headers, body, isWhole }
}

function joined(chunks: string): string {
  let text = ''
  for (let rest = chunks; rest !== ''; ) {
    const start = rest.indexOf('\r\n') + 2
    const length = Number.parseInt(rest, 16)
    if (start < 2 || !length) break
    text += rest.slice(start, start + length)
    rest = rest.slice(start + length + 2)
  }
  return text
}

/** A request with what every client sends, and a connection that ends with the answer. */
export function written(line: string, headers: readonly string[] = [], body = ''): string {
  return `${[`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`
}
