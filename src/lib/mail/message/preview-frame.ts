import { nameOfField } from '#lib/sequences/merge-fields.ts'
import type { Rendering } from './write-email.ts'

/**
 * The text of an email is foreign to our pages, though members write it: it may show its pictures and its own styles, and
 * may run nothing, send nothing, frame nothing and know nothing of who looks at it. Only our own pages may frame it.
 */
export const PREVIEW_FRAME_HEADERS: Readonly<Record<string, string>> = headersWith('sandbox')

/**
 * The same for a page that our editor draws into while a person types: it is of our own origin, so that the editor can
 * reach it, and still nothing in it runs, since a sandbox without `allow-scripts` has no scripts.
 */
export const PREVIEW_CANVAS_HEADERS: Readonly<Record<string, string>> = headersWith('sandbox allow-same-origin')

export const PREVIEW_CANVAS =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Preview</title><body></body></html>'

function headersWith(sandbox: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      sandbox,
      `default-src 'none'`,
      'img-src https: http: data:',
      `style-src 'unsafe-inline'`,
      'font-src https: data:',
      `base-uri 'none'`,
      `form-action 'none'`,
      `frame-ancestors 'self'`,
    ].join('; '),
    'x-frame-options': 'SAMEORIGIN',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}

/** The HTML as it is sent; where there is none, the text; where there is nothing, why. */
export function previewFrame(rendering: Rendering): string {
  if (rendering.kind === 'content') return rendering.content.html || shownAsText(rendering.content.text)
  if (rendering.kind === 'missing-fields')
    return shownAsText(`This person has no ${rendering.missing.map(nameOfField).join(', ')}.`)
  return shownAsText(rendering.reason)
}

function shownAsText(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<!doctype html><meta charset="utf-8"><title>Preview</title><body style="margin:16px;color:#18181b;background:#fff"><pre style="margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font:14px/1.5 sans-serif">${escaped}</pre></body>`
}
