import { readAddress } from '#lib/audience/address.ts'
import type { CustomValue } from '#lib/audience/fields.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { oneLine } from '#lib/sequences/one-line.ts'
import { type MergeValues, renderStep, type StepCompiling } from '#lib/sequences/render.ts'
import { threadHeaders, unsubscribeHeaders } from './headers.ts'

export type Rendering =
  | { kind: 'content'; content: EmailContent }
  | { kind: 'missing-fields'; missing: string[] }
  | { kind: 'unrenderable'; reason: string }

export type Sender = { address: string; displayName: string; postalAddress: string }

export type Recipient = {
  email: string | null
  firstName: string | null
  lastName: string | null
  company: string | null
  customFields: Record<string, CustomValue>
}

export type Writing = {
  sender: Sender
  recipient: Recipient
  step: StepCompiling
  /** Of a thread that began before; the step's own otherwise. */
  subject?: string | undefined
  unsubscribeUrl: string
  /** The Message-IDs of what was sent before, oldest first. */
  thread: readonly (string | null)[]
  messageId: (domain: string) => string
  date: Date
}

/** One email as it goes out, or why it cannot. What is sent, tested and previewed is written here and nowhere else. */
export function writeEmail({ sender, recipient, step, ...writing }: Writing): Rendering {
  const to = readAddress(recipient.email ?? '')
  if (!to.ok) return unrenderable(recipient.email ? `The recipient’s address cannot be used. ${to.reason}` : ERASED)
  const from = readAddress(sender.address)
  if (!from.ok) return unrenderable(`The mailbox’s address cannot be used. ${from.reason}`)
  if (sender.postalAddress.trim() === '') return unrenderable(NO_POSTAL_ADDRESS)
  if (!step.ok) return unrenderable(step.errors.map(({ sentence }) => sentence).join(' '))
  const { unsubscribeUrl, thread } = writing
  const footer = { postalAddress: sender.postalAddress, unsubscribeUrl }
  const rendered = renderStep(step.step, valuesOf(recipient, sender), footer)
  if (rendered.kind !== 'content') return rendered
  const subject = writing.subject ?? rendered.subject
  if (subject === '') return unrenderable('The email has no subject.')
  const content: EmailContent = {
    from: { name: oneLine(sender.displayName), address: sender.address },
    to: { name: oneLine([recipient.firstName, recipient.lastName].filter(Boolean).join(' ')), address: to.address },
    subject,
    text: rendered.text,
    html: rendered.html,
    messageId: writing.messageId(from.domain),
    date: writing.date,
    headers: { ...threadHeaders(thread), ...unsubscribeHeaders(unsubscribeUrl) },
  }
  return { kind: 'content', content }
}

const ERASED = 'The recipient’s data was erased, so there is no address to send to.'
const NO_POSTAL_ADDRESS = 'The workspace has no postal address, which every campaign email must show; enter it.'

export const unrenderable = (reason: string) => ({ kind: 'unrenderable' as const, reason })

function valuesOf(recipient: Recipient, sender: Sender): MergeValues {
  const values = new Map<string, string>()
  const put = (field: string, value: string | null) => {
    if (value !== null) values.set(field, value)
  }
  put('firstName', recipient.firstName)
  put('lastName', recipient.lastName)
  put('company', recipient.company)
  put('email', recipient.email)
  put('senderName', sender.displayName.trim() || sender.address)
  put('senderAddress', sender.address)
  for (const [name, value] of Object.entries(recipient.customFields)) put(`custom.${name}`, String(value))
  return values
}
