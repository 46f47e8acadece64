import { fieldTag, markFields, replaceMarks } from '#lib/sequences/fields-in.ts'

/** What the editor of rich text holds, as Tiptap hands it out. */
export type RichNode = {
  type?: string
  text?: string
  attrs?: Record<string, unknown>
  marks?: { type: string; attrs?: Record<string, unknown> }[]
  content?: RichNode[]
}

export const BUTTON_CLASS = 'button'
const BUTTON_STYLE =
  'display:inline-block;padding:10px 18px;border-radius:6px;background:#1f2937;color:#ffffff;text-decoration:none'
const IMAGE_STYLE = 'max-width:100%;height:auto'

/**
 * The allow-list of what leaves the editor: each kind of node writes its own tags, with the attributes that stand here,
 * and of anything else only the text is left. What the library would write is never used.
 */
export function richHtml(node: RichNode): string {
  return (node.content ?? []).map(block).join('\n')
}

function block(node: RichNode): string {
  const children = node.content ?? []
  if (node.type === 'paragraph') return `<p>${inline(children) || '<br>'}</p>`
  if (node.type === 'bulletList' || node.type === 'orderedList') {
    const tag = node.type === 'bulletList' ? 'ul' : 'ol'
    return `<${tag}>\n${children.map(item).join('\n')}\n</${tag}>`
  }
  return children.length > 0 ? children.map(block).join('\n') : inline([node])
}

/** An item of one paragraph is that paragraph's text: mail programs put air around every paragraph. */
function item({ content = [] }: RichNode): string {
  const [first, ...rest] = content
  const opening = first?.type === 'paragraph' ? inline(first.content ?? []) : first ? block(first) : ''
  return `<li>${[opening, ...rest.map(block)].join('\n')}</li>`
}

const inline = (nodes: readonly RichNode[]) => nodes.map(inlineNode).join('')

function inlineNode(node: RichNode): string {
  const { type, attrs = {}, marks = [] } = node
  return marks.reduceRight((inside, mark) => marked(inside, mark), withoutMarks(type, attrs, node))
}

function withoutMarks(type: string | undefined, attrs: Record<string, unknown>, node: RichNode): string {
  if (type === 'text') return escaped(node.text ?? '')
  if (type === 'hardBreak') return '<br>'
  if (type === 'mergeField') return fieldTag({ field: textOf(attrs.field), fallback: fallbackOf(attrs.fallback) })
  if (type === 'mailImage' && isImageSource(textOf(attrs.src)))
    return `<img src="${attribute(attrs.src)}" alt="${attribute(attrs.alt)}" style="${IMAGE_STYLE}">`
  if (type === 'mailButton' && isLink(textOf(attrs.href)))
    return `<a class="${BUTTON_CLASS}" href="${attribute(attrs.href)}" style="${BUTTON_STYLE}">${template(textOf(attrs.label))}</a>`
  return type === 'mailButton' ? template(textOf(attrs.label)) : inline(node.content ?? [])
}

function marked(inside: string, { type, attrs = {} }: { type: string; attrs?: Record<string, unknown> }): string {
  if (type === 'bold') return `<strong>${inside}</strong>`
  if (type === 'italic') return `<em>${inside}</em>`
  if (type === 'link' && isLink(textOf(attrs.href))) return `<a href="${attribute(attrs.href)}">${inside}</a>`
  return inside
}

/** Where a link may lead; a field may go on with it, and never begin it. */
export const isLink = (address: string) => /^(https?:\/\/|mailto:|tel:)/i.test(address.trim())
export const isImageSource = (address: string) => /^https?:\/\//i.test(address.trim())

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const fallbackOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : null)

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? '')
const attribute = (value: unknown) => template(textOf(value).trim(), /[&<>"]/g)

/** Escaped but for its fields, which are read before the HTML is. */
function template(text: string, what = /[&<>]/g): string {
  const { marked: source, fields } = markFields(text)
  const safe = source.replace(what, (character) => ENTITIES[character] ?? '')
  return replaceMarks(safe, (index) => (fields[index] ? fieldTag(fields[index]) : ''))
}
