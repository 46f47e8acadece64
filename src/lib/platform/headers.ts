/** What every page and answer carries. The nonce is new for each request; only scripts that carry it run. */
export function securityHeaders(options: { nonce: string; https: boolean; development: boolean }): [string, string][] {
  const { nonce, https, development } = options
  const headers: [string, string][] = [
    ['content-security-policy', contentSecurityPolicy(nonce, development)],
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
