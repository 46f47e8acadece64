import { randomUUID } from 'node:crypto'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { type Preview, readSender } from '#lib/mail/message/preview.ts'
import { sendTestOf, type TestSendBy } from '#lib/mail/message/test-send.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { asSent } from '#lib/sequences/inline-styles.ts'
import { fieldsNeeded, type StepTexts } from '#lib/sequences/merge-fields.ts'
import { oneLine } from '#lib/sequences/one-line.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { loadTemplate } from './templates.ts'
import { renderTemplate, valuesFor } from './write-template.ts'

export type TemplatePreviewAsk = {
  templateId: string
  mailboxId?: string | undefined
  /** As they stand in the editor, not saved yet. */
  texts?: Partial<StepTexts> | undefined
  /** What fields would say; where one is not given, its name stands. */
  fields?: Readonly<Record<string, string>> | undefined
}

/** A template as the person who asks would get it, written by what writes the real emails. Nothing is kept. */
export async function previewTemplate(
  sql: Sql,
  workspaceId: string,
  ask: TemplatePreviewAsk,
  person: { name: string; email: string },
): Promise<Preview> {
  const template = await loadTemplate(sql, workspaceId, ask.templateId)
  const texts = { ...template, ...ask.texts }
  const { sender, notes, lacks } = await readSender(sql, workspaceId, ask.mailboxId, person)
  const from = { name: oneLine(sender.displayName), address: sender.address }
  const given = Object.fromEntries(Object.entries(ask.fields ?? {}).filter(([, value]) => value.trim() !== ''))
  const fields = { ...placeholders(texts), ...given }
  const rendering = renderTemplate(
    { ...texts, bodyHtml: asSent(texts.bodyHtml) },
    valuesFor(fields, { to: person.email, sender: from }),
  )
  if (rendering.kind !== 'content') return { rendering, notes, lacks }
  const content: EmailContent = {
    from,
    to: { name: oneLine(person.name), address: person.email },
    ...{ subject: rendering.subject, text: rendering.text, html: rendering.html },
    messageId: `<test.${randomUUID()}@${sender.address.slice(sender.address.lastIndexOf('@') + 1)}>`,
    date: await appNow(sql),
    headers: {},
  }
  return { rendering: { kind: 'content', content }, notes, lacks }
}

function placeholders(texts: StepTexts): Record<string, string> {
  return Object.fromEntries(fieldsNeeded([texts]).map((field) => [field, `[${field.replace(/^custom\./, '')}]`]))
}

/** To the person who asks for it, and to nobody else. */
export async function sendTemplateTest(
  sql: Sql,
  workspaceId: string,
  ask: TemplatePreviewAsk & { mailboxId: string },
  by: TestSendBy,
): Promise<{ to: string; subject: string; notes: string[] }> {
  const sent = await sendTestOf(sql, workspaceId, ask.mailboxId, by, () =>
    previewTemplate(sql, workspaceId, ask, by.person),
  )
  const { id, name } = await loadTemplate(sql, workspaceId, ask.templateId)
  await recordAudit(sql, workspaceId, {
    action: 'template.test-sent',
    actor: by.actor,
    target: { kind: 'template', id, name },
    details: { mailboxId: ask.mailboxId },
  })
  return sent
}
