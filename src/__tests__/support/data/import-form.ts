const BOUNDARY = '----a-boundary'

type Form = { file: Uint8Array<ArrayBuffer>; headers: Record<string, string> }

/** A file and its options as a browser's form sends them; `parts` adds others. */
export function importForm(content: string | Buffer, options?: unknown, parts: Record<string, string> = {}): Form {
  const written = typeof options === 'string' ? options : JSON.stringify(options)
  const fields = Object.entries({ ...(options === undefined ? {} : { options: written }), ...parts })
  const part = (name: string, more = '') => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}`
  const file = Buffer.concat([
    Buffer.from(`${part('file', '; filename="people.csv"')}\r\nContent-Type: text/csv\r\n\r\n`),
    Buffer.from(content),
    // Behind the file on purpose: nobody knows what it means until all of it is here.
    Buffer.from(
      `\r\n${fields.map(([name, value]) => `${part(name)}\r\n\r\n${value}\r\n`).join('')}--${BOUNDARY}--\r\n`,
    ),
  ])
  return { file: new Uint8Array(file), headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } }
}
