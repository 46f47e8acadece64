import { expect, test } from 'vitest'
import { withUpload } from '#lib/audience/import/import-upload.ts'
import type { Pace } from '#lib/platform/http/chunks-within.ts'

const LONG = 600_000
const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'

/** A form that begins so and never ends, and never says more. */
function upload(...sent: string[]): Request {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const text of sent) controller.enqueue(new TextEncoder().encode(text))
    },
  })
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  return new Request('http://localhost/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
}

const answer = (request: Request, pace: Pace) => withUpload(request, async () => 'imported', pace)

test.each<[string, string[], Pace]>([
  ['before the file begins', ['--b\r\n'], { totalMs: LONG, idleMs: 20 }],
  ['in the middle of the file', [HEAD, 'email\nann@example.com\n'], { totalMs: LONG, idleMs: 20 }],
  ['behind the file', [HEAD, 'email\r\n--b\r\n'], { totalMs: LONG, idleMs: 20 }],
  ['without an end', [HEAD, 'email\n'], { totalMs: 20, idleMs: LONG }],
])('an upload that stops %s is let go, and is told why', async (_where, sent, pace) => {
  await expect(answer(upload(...sent), pace)).rejects.toMatchObject({ status: 408, code: 'too-slow' })
})

test('a form that is larger than any file is refused at that length, whatever fills it', async () => {
  const megabyte = 'x'.repeat(1024 * 1024)
  const form = upload(...Array.from({ length: 52 }, () => megabyte))
  await expect(answer(form, { totalMs: LONG, idleMs: LONG })).rejects.toMatchObject({ status: 413, code: 'too-large' })
})

test('a file that is refused in the middle is answered although its sender has gone silent', async () => {
  const megabyte = 'x,'.repeat(512 * 1024)
  const form = upload(HEAD, ...Array.from({ length: 51 }, () => megabyte))
  await expect(answer(form, { totalMs: LONG, idleMs: LONG })).rejects.toMatchObject({ status: 413, code: 'too-large' })
})
