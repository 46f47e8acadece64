import { createHash } from 'node:crypto'

/** A page by itself: no script, no cookie, nothing loaded from anywhere, so that it works wherever a link is opened. */
export function plainPage({ title, text }: { title: string; text: string }, form = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Sendonce</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>${form}
</main>
</body>
</html>
`
}

/** The colours are those of the product (app/globals.css). */
const STYLE = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px;
  font: 16px/1.5 ui-sans-serif, system-ui, sans-serif;
  color: light-dark(#18181b, #ececf0); background: light-dark(#f7f7f8, #0f0f12); }
main { width: 100%; max-width: 448px; padding: 32px; border-radius: 12px; overflow-wrap: anywhere;
  background: light-dark(#ffffff, #16161a); border: 1px solid light-dark(#e3e3e8, #2b2b33); }
h1 { margin: 0 0 8px; font-size: 22px; line-height: 1.25; }
p { margin: 0; color: light-dark(#5a5a65, #a2a2ad); }
form { margin-top: 24px; }
.quiet { margin-bottom: 8px; font-size: 14px; }
button { min-height: 44px; padding: 0 20px; font: inherit; font-weight: 500; border-radius: 6px; cursor: pointer;
  color: inherit; background: transparent; border: 1px solid light-dark(#8e8e99, #6f6f7b); }
button.main { color: #ffffff; background: light-dark(#4f46e5, #5f58ee); border-color: transparent; }
button:focus-visible { outline: 2px solid light-dark(#4338ca, #a9adff); outline-offset: 2px; }
`

/** Nothing runs, nothing is loaded, nobody frames it, and the form goes nowhere but here. */
export const PLAIN_PAGE_POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `form-action 'self'`,
  `frame-ancestors 'none'`,
  `base-uri 'none'`,
].join('; ')

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
