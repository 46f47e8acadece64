import type { OperationName, Received, Told } from '#lib/contract/over-the-wire.ts'
import { type Call, isGoodAnswer, isRecord, problemOf, send, unreachable } from './api-client.ts'

const PROGRESS_TYPE = 'application/x-ndjson'

/** As `api` calls it, but told on the way how far it has come. */
export async function apiWithProgress<Name extends OperationName>(
  name: Name,
  call: Call<Name>,
  onProgress: (progress: Told<Name>) => void,
): Promise<Received<Name>> {
  const response = await send(name, call, PROGRESS_TYPE)
  if (!response.headers.get('content-type')?.startsWith(PROGRESS_TYPE) || !response.body)
    throw problemOf(await response.json().catch(() => null), response.status)
  for await (const line of linesOf(response.body)) {
    const told: unknown = JSON.parse(line)
    if (!isRecord(told)) continue
    if ('progress' in told) onProgress(told.progress as Told<Name>)
    else if (isGoodAnswer(told.answer)) return told.answer.data as Received<Name>
    else throw problemOf(told.answer, Number(told.status))
  }
  throw unreachable()
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let kept = ''
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw unreachable()
    })
    kept += decoder.decode(value, { stream: !done })
    const lines = kept.split('\n')
    kept = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
    if (done) return
  }
}
