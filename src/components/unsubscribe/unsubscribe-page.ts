import { createHash } from 'node:crypto'

/** Everything that the page behind the link in an email may have to say. */
export type UnsubscribeView =
  | {
      state: 'subscribed' | 'done' | 'unsubscribed' | 'unsubscribed-by-others' | 'subscribed-again'
      workspaceName: string
    }
  | { state: 'test' | 'invalid' | 'too-many' | 'failed' }

type Words = { title: string; text: string; action?: 'unsubscribe' | 'subscribe' }

function wordsOf(view: UnsubscribeView): Words {
  switch (view.state) {
    case 'subscribed':
      return {
        title: 'Unsubscribe?',
        text: `You get emails from ${view.workspaceName}. Press the button, and they stop.`,
        action: 'unsubscribe',
      }
    case 'done':
      return {
        title: 'You are unsubscribed',
        text: `You will get no more of these emails from ${view.workspaceName}. One that had already left may still arrive.`,
        action: 'subscribe',
      }
    case 'unsubscribed':
      return {
        title: 'You are already unsubscribed',
        text: `You get no more of these emails from ${view.workspaceName}. There is nothing else to do.`,
        action: 'subscribe',
      }
    case 'unsubscribed-by-others':
      return {
        title: 'You are unsubscribed',
        text: `You get no more of these emails from ${view.workspaceName}. Should you ever want them again, answer one of them and say so.`,
      }
    case 'subscribed-again':
      return {
        title: 'You are subscribed again',
        text: `${view.workspaceName} may write to you again. What had been cancelled is not sent after all. You can leave again at any time.`,
        action: 'unsubscribe',
      }
    case 'test':
      return {
        title: 'This link is from a test email',
        text: 'In a real email it lets its reader unsubscribe. Here it does nothing.',
      }
    case 'invalid':
      return {
        title: 'This link does not work',
        text: 'It is not complete: an email program may have broken it in two. Copy the whole link from the email, or answer the email and say that you want no more of them.',
      }
    case 'too-many':
      return {
        title: 'Please try again later',
        text: 'That was too often. Wait a quarter of an hour and open the link again.',
      }
    case 'failed':
      return {
        title: 'That did not work',
        text: 'Something went wrong on our side, and nothing was changed. Please try again in a moment.',
      }
  }
}

/** A page by itself: no script, no cookie, nothing loaded from anywhere, so that it works wherever a link is opened. */
export function unsubscribePage(view: UnsubscribeView): string {
  const { title, text, action } = wordsOf(view)
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
<p>${escapeHtml(text)}</p>${action ? FORMS[action] : ''}
</main>
</body>
</html>
`
}

const FORMS = {
  unsubscribe: `
<form method="post"><input type="hidden" name="intent" value="unsubscribe"><button class="main">Unsubscribe</button></form>`,
  subscribe: `
<form method="post"><input type="hidden" name="intent" value="subscribe"><p class="quiet">Pressed by mistake, or changed your mind?</p><button>Subscribe again</button></form>`,
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
export const UNSUBSCRIBE_PAGE_POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `form-action 'self'`,
  `frame-ancestors 'none'`,
  `base-uri 'none'`,
].join('; ')

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
