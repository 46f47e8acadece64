/** What a caller accepts who wants to be told on the way: one JSON value in each line, the answer last. */
export const PROGRESS_TYPE = 'application/x-ndjson'

export function wantsProgress(request: Request): boolean {
  return request.headers.get('accept')?.includes(PROGRESS_TYPE) ?? false
}

/**
 * Answers before the work is done: a line `{ "progress": … }` for each thing told, and as the last line what would have
 * been the whole answer, with its status. Work goes on where the caller goes away, as it does without progress.
 */
export function answerOnTheWay(work: (tell: (progress: unknown) => void) => Promise<Response>): Response {
  const encoder = new TextEncoder()
  let isOver = false
  const lines = new ReadableStream<Uint8Array>({
    async start(controller) {
      const write = (line: object) => {
        if (!isOver) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
      }
      const response = await work((progress) => write({ progress }))
      write({ status: response.status, answer: await response.json() })
      // What is told from now on, by a connection that closes behind us, is for nobody.
      if (!isOver) controller.close()
      isOver = true
    },
    cancel() {
      isOver = true
    },
  })
  // Compressed, it would be kept back until enough of it is there.
  return new Response(lines, { headers: { 'content-type': PROGRESS_TYPE, 'cache-control': 'no-store, no-transform' } })
}
