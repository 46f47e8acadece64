import { html, type Markup, renderPage, renderTime } from './layout.ts'
import { type Message, URL_IN_TEXT } from './message.ts'
import type { Store } from './store.ts'
import type { OneClickAnswer } from './unsubscribe.ts'

const TABS = { html: 'HTML', text: 'Text', headers: 'Headers', raw: 'Raw' } as const
type Tab = keyof typeof TABS

type MessageView = NonNullable<ReturnType<Store['get']>> & {
  message: Message
  raw: Buffer
  tab: Tab
  withImages: boolean
  answer?: OneClickAnswer
}

const RAW_CHARACTERS_MAX = 500_000
const RECIPIENTS_SHOWN = 4
/** Errs on the side of offering the button. */
const REMOTE_CONTENT = /(?:\b(?:src(?:set)?|background)\s*=|url\()\s*["']?\s*(?:https?:)?\/\//i
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'

export function tabOf(name: string | null, message: Message): Tab {
  if (name !== null && Object.hasOwn(TABS, name)) return name as Tab
  return message.html === null ? 'text' : 'html'
}

export function renderMessage(view: MessageView): string {
  const { summary, newerId, olderId, message, tab } = view
  const subject = summary.subject.trim() || 'No subject'
  const link = (label: string, id: string | undefined, to: Tab, isCurrent = false) =>
    id && html`<a href="/m/${id}?tab=${to}" ${isCurrent && html`aria-current="page"`}>${label}</a>`
  const tabs = (Object.keys(TABS) as Tab[]).map((name) => link(TABS[name], summary.id, name, name === tab))
  const main = html`
<nav aria-label="Mails"><a href="/">Back to the inbox</a> ${link('Newer', newerId, tab)} ${link('Older', olderId, tab)}</nav>
<h1><bdi>${subject}</bdi></h1>
<dl>
${renderFact('From', summary.from)}${renderFact('To', message.to)}
${renderFact('Cc', message.cc)}${renderFact('Reply to', message.replyTo)}
${renderFact('Envelope', html`<bdi>${summary.envelope.from || 'no sender'}</bdi> → ${renderRecipients(summary.to)}`)}
${renderFact('Caught', html`${renderTime(summary.receivedAt)}, ${summary.bytes.toLocaleString('en-GB')} bytes`)}
${message.waysOut.length > 0 && renderFact('Unsubscribe', renderWaysOut(view))}
${message.attachments.length > 0 && renderFact('Attachments', renderAttachments(view))}
</dl>
<nav aria-label="Views of this mail">${tabs}</nav>
<section aria-label="${TABS[tab]}">${BODIES[tab](view)}</section>`
  return renderPage(subject, main)
}

const BODIES: Record<Tab, (view: MessageView) => Markup> = {
  html({ summary, message, withImages }) {
    if (message.html === null) return html`<p class="box">This mail has no HTML part.</p>`
    const notice = html`<p class="box">Images from elsewhere are not loaded.
<a href="/m/${summary.id}?tab=html&amp;images=1">Load them for this mail</a></p>`
    return html`${!withImages && REMOTE_CONTENT.test(message.html) && notice}
<iframe class="box" title="The mail as its reader sees it" sandbox="${SANDBOX}" referrerpolicy="no-referrer"
 src="/m/${summary.id}/html${withImages && '?images=1'}"></iframe>`
  },
  text({ message }) {
    if (message.text === null) return html`<p class="box">This mail has no text part.</p>`
    const pieces = message.text.split(URL_IN_TEXT).map((piece, index) => (index % 2 === 1 ? renderLink(piece) : piece))
    return html`<div class="box text" dir="auto">${pieces}</div>`
  },
  headers: ({ message }) =>
    html`<dl class="box">${message.headers.map(({ name, value }) => renderFact(name, value))}</dl>`,
  raw: ({ summary, raw }) => html`<p><a href="/m/${summary.id}/raw">Download the whole mail</a></p>
<pre class="box" tabindex="0">${raw.toString('utf8').slice(0, RAW_CHARACTERS_MAX)}</pre>`,
}

/** The sandbox in the header holds even when the frame's address is opened by itself. */
export function framePolicy(withImages: boolean): string {
  return `sandbox ${SANDBOX}; default-src 'none'; img-src data:${withImages ? ' http: https:' : ''}; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`
}

/**
 * The mail's own HTML, untouched but for where its links open: a new tab, since the frame may not go anywhere.
 * It is hostile as far as we know; what keeps it harmless is the policy above, not this function.
 */
export function renderFrame(mailHtml: string): string {
  const target = /(<(?:a|area)\b[^>]{0,2000}?)\starget\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi
  const head = '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light"><base target="_blank">'
  return head + mailHtml.replace(target, '$1')
}

function renderFact(label: string, value: string | Markup): Markup | false {
  if (value === '') return false
  return html`<div><dt>${label}</dt><dd>${typeof value === 'string' ? html`<bdi>${value}</bdi>` : value}</dd></div>`
}

function renderLink(url: string): Markup {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a>`
}

function renderRecipients(to: string[]): Markup {
  const all = html`<bdi>${to.join(', ') || 'no recipient'}</bdi>`
  if (to.length <= RECIPIENTS_SHOWN) return all
  return html`<details><summary>${to.length} recipients</summary>${all}</details>`
}

function renderAttachments({ summary, message }: MessageView): Markup {
  return html`<ul>${message.attachments.map(
    ({ filename, contentType, size }, index) =>
      html`<li><a href="/m/${summary.id}/attachments/${index}" download><bdi>${filename ?? `Attachment ${index + 1}`}</bdi></a>
<span class="quiet">${contentType}, ${size.toLocaleString('en-GB')} bytes</span></li>`,
  )}</ul>`
}

function renderWaysOut({ summary, message: { waysOut, oneClickUrl }, answer }: MessageView): Markup {
  const links = waysOut.map((way) => html`<li>${/^(https?|mailto):/i.test(way) ? renderLink(way) : way}</li>`)
  const button = html`<form method="post" action="/m/${summary.id}/unsubscribe"><button>One-click unsubscribe</button>
<span class="quiet">Asks as a mail client would.</span></form>`
  return html`<ul>${links}</ul>
${oneClickUrl ? button : html`<p class="quiet">The mail does not offer one-click unsubscribing (RFC 8058).</p>`}
${answer && renderAnswer(answer)}`
}

function renderAnswer(answer: OneClickAnswer): Markup {
  if ('failure' in answer) return html`<p class="box bad" role="status">No answer: ${answer.failure}</p>`
  return html`<div class="box" role="status">The address answered <strong>${answer.status}</strong>
<div class="text">${answer.body}</div></div>`
}
