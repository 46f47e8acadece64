/** What a file can be read as, by its name in the Encoding Standard. */
export const ENCODINGS = [
  ...['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254'],
  ...['windows-1257', 'iso-8859-2', 'iso-8859-15', 'koi8-r', 'macintosh'],
] as const satisfies string[]

export type Encoding = (typeof ENCODINGS)[number]
