import { createHash } from 'node:crypto'
import { openApiDocument } from './document.ts'

type Published = { text: string; etag: string }

let published: Published | undefined

/** The document as it goes out: the same for everybody for as long as the process lives, so it is written once. */
export function publishedDocument(): Published {
  if (!published) {
    const text = JSON.stringify(openApiDocument())
    // Weak, since it may go out compressed.
    published = { text, etag: `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
  }
  return published
}
