import type { SentInvitation } from './invitations.ts'
import { INVITATION_VALID_DAYS } from './invitations.ts'

export type WrittenMail = { to: string; subject: string; text: string; html: string }

export function invitationMail(appUrl: string, invitation: SentInvitation): WrittenMail {
  const { email, role, inviterName, workspaceName, token } = invitation
  return writeMail(email, `${inviterName} invited you to ${workspaceName} on Sendonce`, {
    greeting: 'Hello,',
    before: `${inviterName} invited you to the workspace ${workspaceName} on Sendonce, as ${role === 'member' ? 'a' : 'an'} ${role}.`,
    button: 'Accept the invitation',
    link: pageLink(appUrl, '/invitation', token),
    after: `The link works for ${INVITATION_VALID_DAYS} days, for this address only. If you did not expect it, ignore this mail: nothing happens.`,
  })
}

export function passwordResetMail(appUrl: string, person: { name: string; email: string }, token: string): WrittenMail {
  return writeMail(person.email, 'Choose a new password for Sendonce', {
    greeting: `Hello ${person.name},`,
    before: 'a person, most likely you, asked for a new password for your account on Sendonce.',
    button: 'Choose a new password',
    link: pageLink(appUrl, '/reset-password', token),
    after: 'The link works for an hour, once. If it was not you, ignore this mail: your password stays as it is.',
  })
}

/** To an owner: what has happened, each in a sentence. */
export function alertMail(
  appUrl: string,
  owner: { name: string; email: string },
  { subject, workspaceName, sentences }: { subject: string; workspaceName: string; sentences: readonly string[] },
): WrittenMail {
  return writeMail(owner.email, subject, {
    greeting: `Hello ${owner.name},`,
    before: [`in the workspace ${workspaceName} on Sendonce:`, ...sentences],
    button: 'Open the overview',
    link: new URL('/overview', appUrl).href,
    after: 'You get this as an owner of the workspace: once for each of these, and at most one mail an hour.',
  })
}

/** To a member whom a sequence is to tell. Who the person is stands behind the link, for those who may see it. */
export function noticeMail(
  appUrl: string,
  member: { name: string; email: string; workspaceName: string },
  { note, prospectId }: { note: string; prospectId: string },
): WrittenMail {
  return writeMail(member.email, `A person in ${member.workspaceName} wants your attention`, {
    greeting: `Hello ${member.name},`,
    before: [
      `a sequence of the workspace ${member.workspaceName} on Sendonce tells you of a person.`,
      ...(note ? [note] : []),
    ],
    button: 'Open the person',
    link: new URL(`/prospects/${prospectId}`, appUrl).href,
    after: 'You get this because a sequence names you at this point. Its author can change that.',
  })
}

/** After the #, a browser sends the token to no server: it is in no access log and in no Referer. */
function pageLink(appUrl: string, path: string, token: string): string {
  return `${new URL(path, appUrl).href}#token=${token}`
}

/** What a mail of the product says: paragraphs, a button with its link, and what else to know. */
type Parts = { greeting: string; before: string | readonly string[]; button: string; link: string; after: string }

export function writeMail(to: string, subject: string, { greeting, before, button, link, after }: Parts): WrittenMail {
  const paragraphs = typeof before === 'string' ? [before] : before
  const text = `${greeting}\n\n${paragraphs.join('\n\n')}\n\n${button}:\n${link}\n\n${after}\n`
  const html = `<!doctype html><html lang="en"><body style="margin:0;padding:24px;background:#f6f6f7;font-family:system-ui,sans-serif;color:#18181b">
<div style="max-width:480px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px;line-height:1.5">
<p>${escapeHtml(greeting)}</p>${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('')}
<p><a href="${escapeHtml(link)}" style="display:inline-block;padding:10px 16px;background:#18181b;color:#ffffff;border-radius:6px;text-decoration:none">${escapeHtml(button)}</a></p>
<p style="color:#52525b;font-size:14px">${escapeHtml(after)}</p>
</div></body></html>`
  return { to, subject, text, html }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
