import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** What is HTML already: the catcher's own. Whatever came with a mail is text, and arrives escaped. */
export type Markup = { readonly markup: string }

type Part = string | number | Markup | null | undefined | false | Part[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return { markup: strings.map((piece, index) => piece + render(parts[index])).join('') }
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(render).join('')
  if (typeof part === 'object') return part.markup
  return escapeHtml(String(part))
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const readAsset = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const sha256 = (content: string) => `sha256-${createHash('sha256').update(content).digest('base64')}`

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

export function renderPage(title: string, main: Markup, { search = '', withScript = false } = {}): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Sendonce catcher</title>
<style>${{ markup: STYLE }}</style>
<header>
<a href="/">Sendonce <span class="quiet">catcher</span></a>
<form role="search" action="/" method="get">
<input name="q" type="search" value="${search}" aria-label="Search by recipient, sender or subject"
 placeholder="Search recipient, sender or subject" autocomplete="off" spellcheck="false">
</form>
</header>
<main>${main}</main>
${withScript && html`<script>${{ markup: SCRIPT }}</script>`}`.markup
}

export function renderNotice(title: string, sentence: string): string {
  return renderPage(title, html`<h1>${title}</h1><p>${sentence} <a href="/">To the inbox</a></p>`)
}

/** In the machine's own zone: the reader sits in front of it. */
export function renderTime(iso: string, now?: Date): Markup {
  const at = new Date(iso)
  const full = at.toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'long' })
  const isToday = at.toDateString() === now?.toDateString()
  const style = isToday ? ({ timeStyle: 'medium' } as const) : ({ dateStyle: 'medium', timeStyle: 'short' } as const)
  return html`<time datetime="${iso}" title="${full}">${now ? at.toLocaleString('en-GB', style) : full}</time>`
}

export function formatMails(count: number): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? 'mail' : 'mails'}`
}
