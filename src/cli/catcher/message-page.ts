import { formatBytes, formatCount, formatFullTime, formatMails } from './format.ts'
import { html, type Markup } from './html.ts'
import { renderPage } from './layout.ts'
import { splitByLinks } from './links.ts'
import { isLoopback, type ListUnsubscribe, type OneClickAnswer } from './list-unsubscribe.ts'
import { hasRemoteContent } from './mail-frame.ts'
import type { ParsedMessage } from './parse.ts'
import type { Store } from './store.ts'

export const TABS = { html: 'HTML', text: 'Text', headers: 'Headers', raw: 'Raw' } as const
export type Tab = keyof typeof TABS

export type MessageView = {
  found: NonNullable<ReturnType<Store['get']>>
  message: ParsedMessage
  raw: Buffer
  tab: Tab
  withImages: boolean
  answer?: OneClickAnswer
  mailCount: number
}

const RAW_CHARACTERS_MAX = 500_000
const RECIPIENTS_SHOWN = 4

export function renderMessage(view: MessageView): string {
  const { summary, newerId, olderId } = view.found
  const { message } = view
  return renderPage({
    title: summary.subject.trim() || 'No subject',
    count: html`${formatMails(view.mailCount)}`,
    main: html`
<nav class="heading" aria-label="Mails">
<a class="button" href="/">Back to the inbox</a>
<span class="pager">${renderStep('Newer', newerId, view.tab)}${renderStep('Older', olderId, view.tab)}</span>
</nav>
<h1 class="title">${summary.subject.trim() ? html`<bdi>${summary.subject}</bdi>` : 'No subject'}</h1>
<dl class="facts">
${renderFact('From', summary.from)}
${renderFact('To', message.to)}
${renderFact('Cc', message.cc)}
${renderFact('Reply to', message.replyTo)}
<div><dt>Envelope</dt><dd><bdi>${summary.envelope.from || 'no sender'}</bdi> → ${renderRecipients(summary.to)}</dd></div>
<div><dt>Caught</dt><dd><time datetime="${summary.receivedAt}">${formatFullTime(summary.receivedAt)}</time>,
${formatBytes(summary.bytes)}</dd></div>
${message.listUnsubscribe && renderUnsubscribe(summary.id, message.listUnsubscribe, view.answer)}
${message.attachments.length > 0 && html`<div><dt>Attachments</dt><dd>${renderAttachments(view)}</dd></div>`}
</dl>
<nav class="tabs" aria-label="Views of this mail">${Object.entries(TABS).map(
      ([tab, label]) =>
        html`<a href="/m/${summary.id}?tab=${tab}" ${tab === view.tab && html`aria-current="page"`}>${label}</a>`,
    )}</nav>
<section class="body" aria-label="${TABS[view.tab]}">${BODIES[view.tab](view)}</section>`,
  })
}

export function renderMissing(mailCount: number): string {
  return renderPage({
    title: 'No such mail',
    count: html`${formatMails(mailCount)}`,
    main: html`<div class="empty"><h1>No such mail</h1>
<p>It was deleted, or newer mails took its place. <a href="/">Back to the inbox</a></p></div>`,
  })
}

const BODIES: Record<Tab, (view: MessageView) => Markup> = {
  html: ({ found: { summary }, message, withImages }) => {
    if (message.html === null) return renderAbsent('HTML', summary.id, message.text !== null && 'text')
    const offer =
      hasRemoteContent(message.html) &&
      !withImages &&
      html`<p class="notice">Images from elsewhere are not loaded.
<a href="/m/${summary.id}?tab=html&amp;images=1">Load them for this mail</a></p>`
    return html`${offer}<iframe class="frame" title="The mail as its reader sees it"
 sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"
 src="/m/${summary.id}/html${withImages && '?images=1'}"></iframe>`
  },
  text: ({ found: { summary }, message }) => {
    if (message.text === null) return renderAbsent('text', summary.id, message.html !== null && 'html')
    const pieces = splitByLinks(message.text).map(({ text, url }) =>
      url ? html`<a href="${url}" target="_blank" rel="noopener noreferrer">${text}</a>` : html`${text}`,
    )
    return html`<pre class="text" dir="auto" tabindex="0">${pieces}</pre>`
  },
  headers: ({ message }) =>
    html`<div class="scroll" tabindex="0" role="group" aria-label="Headers"><table>
<thead><tr><th scope="col">Header</th><th scope="col">Value, as it travelled</th></tr></thead>
<tbody>${message.headers.map(({ name, value }) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody>
</table></div>`,
  raw: ({ found: { summary }, raw }) => {
    const source = raw.toString('utf8')
    return html`<p class="notice">${
      source.length > RAW_CHARACTERS_MAX && `The first ${formatCount(RAW_CHARACTERS_MAX)} characters. `
    }<a href="/m/${summary.id}/raw">Download the whole mail</a></p>
<pre class="source" tabindex="0">${source.slice(0, RAW_CHARACTERS_MAX)}</pre>`
  },
}

function renderAbsent(what: string, id: string, other: Tab | false): Markup {
  return html`<div class="empty"><p>This mail has no ${what} part. ${
    other && html`<a href="/m/${id}?tab=${other}">See the other one</a>`
  }</p></div>`
}

function renderStep(label: string, id: string | undefined, tab: Tab): Markup {
  return id
    ? html`<a class="button" href="/m/${id}?tab=${tab}">${label}</a>`
    : html`<span class="button off" aria-hidden="true">${label}</span>`
}

function renderFact(label: string, value: string): Markup | false {
  return value !== '' && html`<div><dt>${label}</dt><dd><bdi>${value}</bdi></dd></div>`
}

function renderRecipients(to: string[]): Markup {
  const list = (addresses: string[]) =>
    addresses.map((address, index) => html`${index > 0 && ', '}<bdi>${address}</bdi>`)
  if (to.length === 0) return html`<span class="quiet">Nobody</span>`
  if (to.length <= RECIPIENTS_SHOWN + 1) return html`${list(to)}`
  return html`${list(to.slice(0, RECIPIENTS_SHOWN))}
<details><summary>and ${formatCount(to.length - RECIPIENTS_SHOWN)} more</summary>${list(to.slice(RECIPIENTS_SHOWN))}</details>`
}

function renderAttachments({ found: { summary }, message }: MessageView): Markup {
  return html`<ul class="attachments">${message.attachments.map(
    (attachment, index) =>
      html`<li><a href="/m/${summary.id}/attachments/${index}" download><bdi>${
        attachment.filename ?? `Attachment ${index + 1}`
      }</bdi></a> <span class="quiet">${attachment.contentType}, ${formatBytes(attachment.size)}</span></li>`,
  )}</ul>`
}

function renderUnsubscribe(id: string, { urls, oneClickUrl }: ListUnsubscribe, answer?: OneClickAnswer): Markup {
  const link = (url: string) =>
    /^(https?|mailto):/i.test(url)
      ? html`<li><a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a></li>`
      : html`<li>${url}</li>`
  return html`<div id="unsubscribe"><dt>Unsubscribe</dt><dd><ul>${urls.map(link)}</ul>
${
  oneClickUrl === null
    ? html`<p class="quiet">The mail does not offer one-click unsubscribing (RFC 8058).</p>`
    : isLoopback(oneClickUrl)
      ? html`<form class="ask" method="post" action="/m/${id}/unsubscribe"><button class="button">One-click unsubscribe</button>
<span class="quiet">Asks as a mail client would.</span></form>`
      : html`<p class="quiet">One-click unsubscribing is offered, at an address that is not on this machine.</p>`
}
${answer && renderAnswer(answer)}</dd></div>`
}

function renderAnswer(answer: OneClickAnswer): Markup {
  if (answer.kind === 'failed') return html`<p class="notice bad" role="status">No answer: ${answer.reason}</p>`
  return html`<div class="notice" role="status"><p>The address answered <strong>${answer.status}</strong></p>
${answer.body.trim() !== '' && html`<pre class="answer" tabindex="0">${answer.body.slice(0, 2_000)}</pre>`}</div>`
}
