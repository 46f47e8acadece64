import { formatMails, html, type Markup, renderPage, renderTime } from './layout.ts'
import type { Summary } from './message.ts'
import type { Store } from './store.ts'

export const ROWS_PER_STEP = 200

type InboxView = { store: Store; smtpPort: number; words: string; rows: number; now: Date }

export function renderInbox(view: InboxView): string {
  const main = html`
<h1>Inbox</h1>
<p class="quiet" id="count" role="status">${renderCount(view)}</p>
<p class="box bad" id="offline" role="alert" hidden>The catcher does not answer. This page goes on trying.</p>
<div id="list">${renderList(view)}</div>
<button popovertarget="confirm">Delete all mails</button>
<div class="box" id="confirm" popover role="dialog" aria-labelledby="confirm-title">
<h2 id="confirm-title">Delete all caught mails?</h2>
<p>They are removed from this machine for good. No recipient ever got them.</p>
<form method="post" action="/clear"><button type="button" popovertarget="confirm">Cancel</button>
<button class="bad">Delete all</button></form>
</div>`
  return renderPage(view.words ? `Search: ${view.words}` : 'Inbox', main, { search: view.words, withScript: true })
}

function renderList({ store, smtpPort, words, rows, now }: InboxView): Markup {
  const found = store.find({ words })
  if (store.size() === 0) {
    return html`<div class="box"><h2>No mail yet</h2>
<p>Launch a campaign or invite a teammate in Sendonce, and what it sends appears here by itself. Nothing leaves this
machine.</p><p>Any other program can send here too: SMTP at <code>127.0.0.1:${smtpPort}</code>, with any
password or none.</p></div>`
  }
  if (found.length === 0) {
    const all = html`<a href="/">Show all mails</a>`
    return html`<p class="box">Nothing to, from or about <q>${words}</q> has been caught. ${all}</p>`
  }
  const older = new URLSearchParams({ q: words, rows: String(rows + ROWS_PER_STEP) })
  return html`<ol class="box mails" aria-label="Mails: recipient, subject, sender, time">${found.slice(0, rows).map((mail) => renderRow(mail, now))}</ol>
${found.length > rows && html`<p><a href="/?${String(older)}">Show older mails</a></p>`}`
}

function renderCount({ store, words }: InboxView): string {
  const [total, kept] = [store.size(), store.messagesMax]
  const all = total >= kept ? `The newest ${formatMails(kept)} are kept; older ones make room for them.` : ''
  return `${words && `${formatMails(store.find({ words }).length)} of `}${formatMails(total)}. ${all}`
}

function renderRow({ id, from, to, subject, receivedAt }: Summary, now: Date): Markup {
  const [first = 'no recipient', ...others] = to
  return html`<li><a href="/m/${id}">
<span><bdi>${first}</bdi>${others.length > 0 && ` +${others.length}`}</span>
<strong><bdi>${subject.trim() || 'No subject'}</bdi></strong>
<span class="quiet"><bdi>${from || 'no sender'}</bdi></span>
${renderTime(receivedAt, now)}</a></li>
`
}
