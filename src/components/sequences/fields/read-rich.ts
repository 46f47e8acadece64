import { fieldTag, markFields, type PlacedField, replaceMarks } from '#lib/sequences/fields-in.ts'
import { BUTTON_CLASS } from './rich-html.ts'

/** For each tag that the editor of rich text knows, the attributes that it keeps. Styles are its own to write. */
const KNOWN: Record<string, readonly string[]> = {
  p: [],
  br: [],
  strong: [],
  b: [],
  em: [],
  i: [],
  ul: [],
  ol: [],
  li: [],
  a: ['href', 'class', 'style'],
  img: ['src', 'alt', 'style'],
}

/** Read by nobody, shown by nobody. */
const UNSEEN = new Set(['script', 'style', 'template', 'noscript', 'title', 'head', 'meta', 'link', 'object', 'iframe'])

/** In words, what of some HTML the editor of rich text cannot hold. */
const LOST_WORDS: Record<string, string> = {
  table: 'tables',
  tbody: 'tables',
  thead: 'tables',
  tr: 'tables',
  td: 'tables',
  th: 'tables',
  style: 'style sheets',
  h1: 'headings',
  h2: 'headings',
  h3: 'headings',
  script: 'scripts',
  div: 'blocks and their layout',
  span: 'styled text',
  blockquote: 'quotes',
  hr: 'lines',
}

export type RichReading = {
  /** For the editor: known tags alone, and a marked span for each field. */
  html: string
  /** What else was there, in words: "tables", "style sheets". Empty where nothing would be lost. */
  lost: string[]
}

/** Reads the HTML of a step into what the editor of rich text can hold. */
export function readRich(source: string): RichReading {
  const { marked, fields } = markFields(source)
  const body = new DOMParser().parseFromString(marked, 'text/html')
  const lost = new Set<string>()
  // A style sheet at the start is put into the head.
  for (const element of body.head.children) lost.add(wordFor(element.localName))
  const clean = document.implementation.createHTMLDocument('')
  for (const node of body.body.childNodes) copy(node, clean.body, fields, lost)
  for (const paragraph of clean.body.querySelectorAll('p')) {
    if (paragraph.childNodes.length === 1 && paragraph.firstElementChild?.localName === 'br')
      paragraph.replaceChildren()
  }
  return { html: clean.body.innerHTML, lost: [...lost].sort() }
}

const wordFor = (tag: string) => LOST_WORDS[tag] ?? `<${tag}>`

function copy(node: Node, into: Element, fields: readonly PlacedField[], lost: Set<string>): void {
  if (node.nodeType === Node.TEXT_NODE) copyText(node.textContent ?? '', into, fields)
  else if (node.nodeType === Node.COMMENT_NODE) lost.add('comments')
  else if (node instanceof Element || node.nodeType === Node.ELEMENT_NODE)
    copyElement(node as Element, into, fields, lost)
}

function copyElement(element: Element, into: Element, fields: readonly PlacedField[], lost: Set<string>): void {
  const tag = element.localName
  const known = KNOWN[tag]
  if (!known) lost.add(wordFor(tag))
  if (UNSEEN.has(tag)) return
  let target = into
  if (known) {
    target = into.ownerDocument.createElement(tag)
    into.append(target)
    for (const { name, value } of element.attributes) {
      if (known.includes(name)) target.setAttribute(name, written(value, fields))
      else lost.add('styles and other attributes')
    }
    if (tag === 'a' && element.hasAttribute('style') && !element.classList.contains(BUTTON_CLASS))
      lost.add('styles and other attributes')
  }
  for (const child of element.childNodes) copy(child, target, fields, lost)
}

function copyText(text: string, into: Element, fields: readonly PlacedField[]): void {
  const page = into.ownerDocument
  // Line breaks between tags are layout of the source.
  for (const piece of text.replace(/\s*\n\s*/g, text.trim() === '' ? '' : ' ').split(/([\u{F0000}-\u{FFFFD}])/u)) {
    const field = fields[(piece.codePointAt(0) ?? 0) - 0xf0000]
    if (field) {
      const chip = page.createElement('span')
      chip.setAttribute('data-field', field.field)
      if (field.fallback !== null) chip.setAttribute('data-fallback', field.fallback)
      into.append(chip)
    } else if (piece !== '') into.append(piece)
  }
}

const written = (value: string, fields: readonly PlacedField[]) =>
  replaceMarks(value, (index) => (fields[index] ? fieldTag(fields[index]) : ''))

/** Rich text, as the plain text that says the same: for a change of form. */
export function textOfHtml(source: string): string {
  const { marked, fields } = markFields(source)
  const { body } = new DOMParser().parseFromString(marked, 'text/html')
  for (const unseen of body.querySelectorAll([...UNSEEN].join())) unseen.remove()
  for (const lineEnd of body.querySelectorAll('br')) lineEnd.replaceWith('\n')
  for (const link of body.querySelectorAll('a[href]')) {
    const href = link.getAttribute('href') ?? ''
    if (href !== link.textContent?.trim()) link.append(` (${href})`)
  }
  for (const entry of body.querySelectorAll('li')) entry.prepend('- ')
  for (const block of body.querySelectorAll('p, div, ul, ol, h1, h2, h3, h4, tr, table')) block.append('\n\n')
  for (const entry of body.querySelectorAll('li')) entry.append('\n')
  const text = (body.textContent ?? '').replace(/[ \t]+\n/g, '\n').replace(/\n{3,}/g, '\n\n')
  return written(text.trim(), fields)
}

/** Plain text as HTML that says the same: a paragraph for each, and every line where it was. */
export function htmlOfText(text: string): string {
  const { marked, fields } = markFields(text.trim())
  const safe = marked.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  const paragraphs = safe.split(/\n{2,}/).map((part) => `<p>${part.replaceAll('\n', '<br>')}</p>`)
  return text.trim() === '' ? '' : written(paragraphs.join('\n'), fields)
}
