/** The sandbox in the header holds even when the frame's address is opened by itself. */
export function framePolicy(withImages: boolean): string {
  return [
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    `img-src data:${withImages ? ' http: https:' : ''}`,
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}

/**
 * The mail's own HTML, untouched but for where its links open: a new tab, since the frame may not go anywhere.
 * It is hostile as far as we know; what keeps it harmless is the policy above, not this function.
 */
export function renderFrame(mailHtml: string): string {
  const withoutTargets = mailHtml.replace(
    /(<(?:a|area)\b[^>]{0,2000}?)\starget\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi,
    '$1',
  )
  return `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light"><base target="_blank">${withoutTargets}`
}

/** Errs on the side of offering the button. */
export function hasRemoteContent(mailHtml: string): boolean {
  return /(?:\bsrc(?:set)?|\bbackground)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//i.test(
    mailHtml,
  )
}
