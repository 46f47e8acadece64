export type OneClickAnswer = { status: string; body: string } | { failure: string }

const ANSWER_MS_MAX = 10_000
const ANSWER_CHARACTERS_MAX = 2_000

/** Mails here may be addressed from anywhere to anywhere; only this machine may be spoken to. */
function isLoopback(url: string): boolean {
  return /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(URL.parse(url)?.hostname ?? '')
}

/** Does what a mail client does when its reader presses "Unsubscribe". No redirects: RFC 8058 forbids them. */
export async function postOneClick(url: string): Promise<OneClickAnswer> {
  if (!isLoopback(url)) return { failure: 'The address is not on this machine, so nothing was sent.' }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    const body = await response.text()
    const status = `${response.status} ${response.statusText}`.trim()
    return { status, body: body.slice(0, ANSWER_CHARACTERS_MAX).trim() }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { failure: cause instanceof Error ? cause.message : String(cause) }
  }
}
