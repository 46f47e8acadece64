import { formatCount, formatFullTime, formatMails, formatTime } from './format.ts'
import { html, type Markup } from './html.ts'
import { renderPage } from './layout.ts'
import type { Store } from './store.ts'
import type { Summary } from './summary.ts'

export const ROWS_PER_STEP = 200

export type InboxQuery = { words: string; rows: number }

export function renderInbox(store: Store, query: InboxQuery, smtpPort: number, now: Date): string {
  return renderPage({
    title: query.words ? `Search: ${query.words}` : 'Inbox',
    search: query.words,
    withScript: true,
    count: html`<span id="count">${formatMails(store.size())}</span>`,
    main: html`
<div class="heading">
<h1>Inbox</h1>
<button type="button" class="button" id="clear" ${store.size() === 0 && html`hidden`}>Delete all</button>
</div>
<p class="visually-hidden" id="news" role="status"></p>
<p class="notice" id="offline" role="alert" hidden>The catcher does not answer. This page goes on trying.</p>
<div id="list">${renderList(store, query, smtpPort, now)}</div>
<dialog id="confirm" aria-labelledby="confirm-title">
<h2 id="confirm-title">Delete all caught mails?</h2>
<p class="question">They are removed from this machine for good. Nobody else ever received them.</p>
<form method="dialog" class="actions">
<button class="button" value="cancel">Cancel</button>
<button class="button danger" value="delete">Delete all</button>
</form>
</dialog>`,
  })
}

/** The part that the inbox page fetches again and again. */
export function renderList(store: Store, { words, rows }: InboxQuery, smtpPort: number, now: Date): Markup {
  const found = store.find({ words })
  const shown = found.slice(0, rows)
  const summary = html`<p class="summary" data-total="${formatMails(store.size())}">${
    words && found.length > 0 && `${formatMails(found.length)} of ${formatCount(store.size())} match. `
  }${store.isFull() && `The newest ${formatMails(store.messagesMax)} are kept; older ones make room for them.`}</p>`
  if (store.size() === 0) return html`${summary}${renderNothingYet(smtpPort)}`
  if (found.length === 0) return html`${summary}${renderNoMatch(words)}`
  return html`${summary}
<ol class="mails">${shown.map((mail) => renderRow(mail, now))}</ol>
${
  shown.length < found.length &&
  html`<p class="more"><a class="button" href="${inboxHref(words, rows + ROWS_PER_STEP)}">Show older mails</a>
<span class="quiet">${formatCount(shown.length)} of ${formatCount(found.length)} shown</span></p>`
}`
}

export function inboxHref(words: string, rows: number): string {
  const query = new URLSearchParams({ ...(words && { q: words }), ...(rows > ROWS_PER_STEP && { rows: String(rows) }) })
  return query.size > 0 ? `/?${query}` : '/'
}

function renderRow({ id, from, to, subject, receivedAt }: Summary, now: Date): Markup {
  const [first = 'no recipient', ...others] = to
  return html`<li><a class="mail" href="/m/${id}">
<span class="to"><span class="visually-hidden">To </span><bdi>${first}</bdi>${
    others.length > 0 && html` <span class="badge">+${formatCount(others.length)}</span>`
  }</span>
<span class="subject">${subject.trim() ? html`<bdi>${subject}</bdi>` : html`<span class="quiet">No subject</span>`}</span>
<span class="from"><span class="visually-hidden">From </span><bdi>${from || 'no sender'}</bdi></span>
<time class="when" datetime="${receivedAt}" title="${formatFullTime(receivedAt)}">${formatTime(receivedAt, now)}</time>
</a></li>
`
}

function renderNothingYet(smtpPort: number): Markup {
  return html`<div class="empty">
<h2>No mail yet</h2>
<p>Launch a campaign or invite a teammate in Sendonce, and what it sends appears here by itself. Nothing leaves this
machine.</p>
<p>Any other program can send here too: SMTP at <code>127.0.0.1:${smtpPort}</code>, with any password or none.</p>
</div>`
}

function renderNoMatch(words: string): Markup {
  return html`<div class="empty">
<h2>No mail matches</h2>
<p>Nothing to, from or about <q>${words}</q> has been caught. <a href="/">Show all mails</a></p>
</div>`
}
