import { encode as encodeBase64, wrap as wrapBase64 } from 'nodemailer/lib/base64'
import type MimeNode from 'nodemailer/lib/mime-node'
import { encode as encodeQuoted, wrap as wrapQuoted } from 'nodemailer/lib/qp'

/**
 * A composed tree as bytes. Headers, structure and encodings are the library's; they are put together here, since its own
 * streams take twice the time for what is in memory already. `corpus.test.ts` holds the bytes to those of its streams.
 */
export function writeMime(root: MimeNode): Buffer {
  const pieces: string[] = []
  writeNode(root, pieces)
  const written = pieces.join('')
  return Buffer.from(written.endsWith('\r\n') ? written : `${written}\r\n`)
}

function writeNode(node: MimeNode, pieces: string[]): void {
  pieces.push(node.buildHeaders(), '\r\n\r\n')
  if (node.content !== undefined) pieces.push(encoded(node.content, node.getTransferEncoding()))
  if (!node.boundary) return
  for (const [index, child] of node.childNodes.entries()) {
    pieces.push(index > 0 ? '\r\n' : '', '--', node.boundary, '\r\n')
    writeNode(child, pieces)
  }
  pieces.push('\r\n--', node.boundary, '--\r\n')
}

function encoded(content: NonNullable<MimeNode['content']>, encoding: string | false): string {
  // A file's or a server's: nothing of a message may be read while it is composed.
  if (typeof content !== 'string' && !Buffer.isBuffer(content))
    throw new Error('a part of the message is not in memory')
  switch (encoding) {
    case 'base64':
      return wrapBase64(encodeBase64(content))
    case 'quoted-printable':
      return withCrLf(wrapQuoted(encodeQuoted(content)))
    case '7bit':
      return withCrLf(content.toString('latin1'))
    default:
      throw new Error(`a part of the message has the encoding ${encoding}, which not every server takes`)
  }
}

/** As servers make it of every text (a calendar often has other ends of lines): what is signed must be what arrives. */
const withCrLf = (text: string) => text.replace(/\r\n?|\n/g, '\r\n')
