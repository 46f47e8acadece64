import { readAddress } from '#lib/audience/address.ts'
import { type CompiledHtml, compiledHtmlOf, type HtmlField, type Piece } from './compile-html.ts'
import { type StepTexts, templateOf } from './merge-fields.ts'
import { oneLine } from './one-line.ts'
import type { MergeField, Template, TemplateError } from './template.ts'

/** What stands below every campaign email: whose mail it is, and the way out of it. */
export type Footer = { postalAddress: string; unsubscribeUrl: string }

/** A step that is ready to be written to anybody. */
export type CompiledStep = { subject: Template; text: Template | null; html: CompiledHtml | null }

export type StepCompiling = { ok: true; step: CompiledStep } | { ok: false; errors: TemplateError[] }

/** What each field says to one prospect; what is absent, or only spaces, is missing. */
export type MergeValues = ReadonlyMap<string, string>

export type Rendered = { subject: string; text: string; html: string }

export type StepRendering =
  | ({ kind: 'content' } & Rendered)
  | { kind: 'missing-fields'; missing: string[] }
  /** A value stands where it would do harm, or a text cannot be read. In a sentence for people. */
  | { kind: 'unrenderable'; reason: string }

export function compileStep(texts: StepTexts): StepCompiling {
  const subject = templateOf(texts.subject)
  const text = texts.bodyText.trim() === '' ? null : templateOf(texts.bodyText)
  const compiled = texts.bodyHtml.trim() === '' ? null : compiledHtmlOf(texts.bodyHtml)
  const errors = [...subject.errors, ...(text?.errors ?? []), ...(compiled?.ok === false ? compiled.errors : [])]
  if (errors.length > 0) return { ok: false, errors }
  return { ok: true, step: { subject, text, html: compiled?.ok ? compiled.html : null } }
}

/**
 * Writes a step to one prospect. Values are data wherever they stand: escaped for their place in HTML, one line in a
 * subject. Text is made from the HTML where none was written; HTML is never made from text, since a mail of text alone
 * is what its author wrote. Without a footer where it is no campaign's email.
 */
export function renderStep(step: CompiledStep, values: MergeValues, footer: Footer | null): StepRendering {
  const missing = missingIn(step, values)
  if (missing.length > 0) return { kind: 'missing-fields', missing }
  const written = step.html ? writeHtml(step.html, values) : null
  if (written && !written.ok) return { kind: 'unrenderable', reason: written.reason }
  const subject = oneLine(fill(step.subject, values))
  const text = wellFormed(step.text ? fill(step.text, values) : (written?.text() ?? '')).trimEnd()
  return {
    kind: 'content',
    subject,
    text: footer ? `${text}\n\n${footerText(footer)}\n` : `${text}\n`,
    html: written ? wellFormed(`${written.before}${footer ? footerHtml(footer) : ''}${written.after}`) : '',
  }
}

function missingIn(step: CompiledStep, values: MergeValues): string[] {
  const ofTexts = [step.subject, step.text].flatMap((template) => template?.parts ?? [])
  const fields = [...ofTexts.filter((part) => part.kind === 'field'), ...(step.html?.fields ?? [])]
  const lacking = fields.filter(({ field, fallback }) => fallback === null && !valueIn(values, field))
  return [...new Set(lacking.map(({ field }) => field))].sort()
}

function valueIn(values: MergeValues, field: string): string | undefined {
  const value = values.get(field)
  return value?.trim() ? value : undefined
}

function fill({ parts }: Template, values: MergeValues): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : said(part, values))).join('')
}

const said = ({ field, fallback }: MergeField, values: MergeValues) => valueIn(values, field) ?? fallback ?? ''

type Written = { ok: true; before: string; after: string; text: () => string } | { ok: false; reason: string }

function writeHtml({ fields, beforeFooter, afterFooter, text }: CompiledHtml, values: MergeValues): Written {
  const inHtml: string[] = []
  const inText: string[] = []
  for (const part of fields) {
    const written = inPlace(part, said(part, values))
    if ('reason' in written) return { ok: false, reason: `${part.field} ${written.reason}` }
    inText.push(written.plain)
    inHtml.push(escaped(written.plain, part))
  }
  const join = (pieces: Piece[], said: string[]) =>
    pieces.map((piece) => (typeof piece === 'string' ? piece : said[piece])).join('')
  return {
    ok: true,
    before: join(beforeFooter, inHtml),
    after: join(afterFooter, inHtml),
    text: () => join(text(), inText),
  }
}

type InPlace = { plain: string } | { reason: string }

const NO_ADDRESS = { reason: 'is the address of a mail link, and what it says is not exactly one address.' }
const LEADS_UP = { reason: 'is a part of a link, and what it says is only full stops, which would lead elsewhere.' }

/** As it stands in a text or in a link, before HTML has its say; or why it would lead astray. */
function inPlace({ place }: HtmlField, value: string): InPlace {
  if (place.kind !== 'part-of-link') return { plain: value }
  const trimmed = value.trim()
  if (place.part === 'address') {
    const reading = readAddress(value)
    return reading.ok ? { plain: encoded(reading.address).replaceAll('%40', '@') } : NO_ADDRESS
  }
  if (place.part === 'path' && /^\.+$/.test(trimmed)) return LEADS_UP
  return { plain: place.part === 'number' ? encoded(trimmed).replaceAll('%2B', '+') : encoded(value) }
}

/** All of it but letters, digits and what never means anything in a link. */
function encoded(value: string): string {
  return encodeURIComponent(wellFormed(value)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(value: string, { place }: HtmlField): string {
  const text = escapeHtml(value)
  const isBare = 'quoted' in place && !place.quoted
  const held = isBare ? text.replace(/[\s=`]/g, (character) => `&#${character.charCodeAt(0)};`) : text
  return place.inComment ? held.replaceAll('-', '&#45;') : held
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

const OPT_OUT = 'If you would rather not get these emails, you can unsubscribe'

function footerText({ postalAddress, unsubscribeUrl }: Footer): string {
  return `${postalAddress.replace(/\r\n?/g, '\n')}\n\n${OPT_OUT}:\n${unsubscribeUrl}`
}

/** Styled in place, since a mail has no other; small and quiet, and still to be read on light and dark. */
function footerHtml({ postalAddress, unsubscribeUrl }: Footer): string {
  const address = escapeHtml(postalAddress).replace(/\r\n?|\n/g, '<br>')
  return `<div style="margin-top:32px;font-family:sans-serif;font-size:12px;line-height:18px;color:#737373"><p style="margin:0 0 8px">${address}</p><p style="margin:0">${OPT_OUT} <a href="${escapeHtml(unsubscribeUrl)}" style="color:#737373;text-decoration:underline">here</a>.</p></div>`
}

/** Half a character is none, and cannot be encoded. */
const wellFormed = (text: string) => text.toWellFormed()
