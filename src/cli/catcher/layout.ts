import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { html, type Markup, trusted } from './html.ts'

const STYLE = readAsset('./style.css')
const SCRIPT = readAsset('./inbox.client.js')

/** Nothing runs, loads or is framed here but the catcher's own stylesheet, its own script and its own pages. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src '${sha256(STYLE)}'`,
  `script-src '${sha256(SCRIPT)}'`,
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export type Page = { title: string; search?: string; withScript?: boolean; count: Markup; main: Markup }

export function renderPage({ title, search = '', withScript = false, count, main }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Sendonce catcher</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<a class="brand" href="/"><span class="mark" aria-hidden="true"></span>Sendonce <span class="quiet">catcher</span></a>
<form class="search" role="search" action="/" method="get">
<label class="visually-hidden" for="q">Search by recipient, sender or subject</label>
<input id="q" name="q" type="search" value="${search}" placeholder="Search recipient, sender or subject"
 autocomplete="off" spellcheck="false">
<button class="visually-hidden" type="submit">Search</button>
</form>
<p class="count">${count}</p>
</header>
<main id="main">${main}</main>
${withScript && html`<script>${trusted(SCRIPT)}</script>`}
</body>
</html>
`.markup
}

function readAsset(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

function sha256(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}
