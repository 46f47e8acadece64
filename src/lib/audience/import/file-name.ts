/** Of what a browser or a program calls a file, the last part of a path, as one line of text; null where nothing is left. */
export function plainFileName(written: string): string | null {
  const name = written.split(/[\\/]/).at(-1) ?? ''
  return name.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, 200) || null
}
