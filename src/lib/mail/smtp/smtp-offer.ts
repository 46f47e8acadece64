/** What a server says it can do (RFC 5321, 4.1.1.1), as far as it matters to one message. */
export type SmtpOffer = {
  smtpUtf8: boolean
  eightBitMime: boolean
  login: boolean
  /** 0 where it names no limit. */
  messageBytesMax: number
}

export function readOffer(reply: string): SmtpOffer {
  const lines = reply.split('\n').map((line) =>
    line
      .replace(/^\d{3}[ -]/, '')
      .trim()
      .toUpperCase(),
  )
  const size = lines.map((line) => /^SIZE +(\d{1,15})$/.exec(line)?.[1]).find((bytes) => bytes !== undefined)
  return {
    smtpUtf8: lines.includes('SMTPUTF8'),
    eightBitMime: lines.includes('8BITMIME'),
    login: lines.some((line) => /^AUTH[ =]/.test(line)),
    messageBytesMax: Number(size ?? 0),
  }
}
