import { plainPage } from '#components/plain/plain-page.ts'

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

export function unsubscribePage(view: UnsubscribeView): string {
  const { action, ...words } = wordsOf(view)
  return plainPage(words, action && FORMS[action])
}

const FORMS = {
  unsubscribe: `
<form method="post"><input type="hidden" name="intent" value="unsubscribe"><button class="main">Unsubscribe</button></form>`,
  subscribe: `
<form method="post"><input type="hidden" name="intent" value="subscribe"><p class="quiet">Pressed by mistake, or changed your mind?</p><button>Subscribe again</button></form>`,
}
