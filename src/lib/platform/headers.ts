/** What every page carries. The nonce is new for each request; only scripts that carry it run. */
export function pageHeaders(options: { nonce: string; https: boolean; development: boolean }): [string, string][] {
  const policy = contentSecurityPolicy(options.nonce, options.development)
  return [['content-security-policy', policy], ...everywhere(options.https)]
}

/** What every answer carries that is no page of ours: nothing in it runs, loads or is framed. */
export function answerHeaders(https: boolean): [string, string][] {
  return [['content-security-policy', "default-src 'none'; frame-ancestors 'none'"], ...everywhere(https)]
}

function everywhere(https: boolean): [string, string][] {
  const headers: [string, string][] = [
    ['x-content-type-options', 'nosniff'],
    // Addresses of pages hold tokens of invitations and resets; no other site may learn them.
    ['referrer-policy', 'same-origin'],
    ['permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()'],
    ['cross-origin-opener-policy', 'same-origin'],
    // Browsers too old for frame-ancestors.
    ['x-frame-options', 'DENY'],
  ]
  if (https) headers.push(['strict-transport-security', 'max-age=63072000'])
  return headers
}

/** React's development build evaluates strings to show where an error came from; production never does. */
function contentSecurityPolicy(nonce: string, development: boolean): string {
  return [
    `default-src 'self'`,
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? ` 'unsafe-eval'` : ''}`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `object-src 'none'`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
  ].join('; ')
}
