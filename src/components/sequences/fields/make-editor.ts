import { Editor, Node } from '@tiptap/core'
import { Fragment, type ResolvedPos, Slice } from '@tiptap/pm/model'
import type { EditorView } from '@tiptap/pm/view'
import StarterKit from '@tiptap/starter-kit'
import { fieldsIn, fieldTag } from '#lib/sequences/fields-in.ts'
import { FieldChips, MailButtonNode, MailImageNode, MergeFieldNode } from './chips.ts'
import { readRich } from './read-rich.ts'
import { isLink, type RichNode, richHtml } from './rich-html.ts'

/** One line with fields, lines of text with fields, or rich text. */
export type EditorKind = 'line' | 'text' | 'rich'

const OneLine = Node.create({ name: 'doc', topNode: true, content: 'paragraph' })

const NEVER = {
  blockquote: false,
  code: false,
  codeBlock: false,
  heading: false,
  horizontalRule: false,
  strike: false,
  underline: false,
  trailingNode: false,
  dropcursor: false,
  gapcursor: false,
} as const

const PLAIN = {
  ...NEVER,
  bold: false,
  italic: false,
  link: false,
  bulletList: false,
  orderedList: false,
  listItem: false,
  listKeymap: false,
  hardBreak: false,
} as const

const LINK = {
  openOnClick: false,
  autolink: true,
  linkOnPaste: true,
  defaultProtocol: 'https',
  isAllowedUri: (address: string) => isLink(address),
  HTMLAttributes: { class: 'text-accent-text underline' },
} as const

type Making = {
  element: HTMLElement
  kind: EditorKind
  value: string
  attributes: Record<string, string>
  onChange: (value: string) => void
}

export function makeEditor({ element, kind, value, attributes, onChange }: Making): Editor {
  const extensions =
    kind === 'rich'
      ? [StarterKit.configure({ ...NEVER, link: LINK }), MailImageNode, MailButtonNode]
      : [StarterKit.configure({ ...PLAIN, document: kind === 'line' ? false : undefined })]
  return new Editor({
    element,
    extensions: [...extensions, ...(kind === 'line' ? [OneLine] : []), MergeFieldNode, FieldChips],
    content: contentOf(kind, value),
    // The style sheet that it would add has no nonce, and ours says it all.
    injectCSS: false,
    editorProps: {
      attributes,
      handleKeyDown: (_view, event) => kind === 'line' && event.key === 'Enter',
      ...(kind !== 'rich' && { handlePaste: pasteText, clipboardTextParser: (text, at) => linesOf(kind, text, at) }),
    },
    onUpdate: ({ editor }) => onChange(writtenIn(kind, editor)),
  })
}

/** Of what is pasted, the text alone. */
function pasteText(view: EditorView, event: ClipboardEvent): boolean {
  const text = event.clipboardData?.getData('text/plain')
  if (text) view.pasteText(text)
  return true
}

/** Every line where it was, empty ones too; a field of one line stays one. */
function linesOf(kind: EditorKind, text: string, { doc }: ResolvedPos): Slice {
  const { schema } = doc.type
  const lines = kind === 'line' ? [text.replace(/\s*[\r\n]+\s*/g, ' ')] : text.split(/\r\n?|\n/)
  const paragraphs = lines.map((line) => schema.node('paragraph', null, line === '' ? [] : [schema.text(line)]))
  return new Slice(Fragment.from(paragraphs), 1, 1)
}

/** What the editor holds, as a step keeps it. */
export function writtenIn(kind: EditorKind, editor: Editor): string {
  const doc: RichNode = editor.getJSON()
  if (kind === 'rich') return editor.isEmpty ? '' : richHtml(doc)
  return (doc.content ?? []).map(({ content = [] }) => content.map(plain).join('')).join('\n')
}

function plain({ type, text = '', attrs }: RichNode): string {
  if (type !== 'mergeField') return text
  return fieldTag({ field: String(attrs?.field), fallback: attrs?.fallback == null ? null : String(attrs.fallback) })
}

export function contentOf(kind: EditorKind, value: string): RichNode | string {
  if (kind === 'rich') return readRich(value).html
  const lines = kind === 'line' ? [value.replaceAll('\n', ' ')] : value.replace(/\r\n?/g, '\n').split('\n')
  return { type: 'doc', content: lines.map((line) => ({ type: 'paragraph', content: lineContent(line) })) }
}

function lineContent(line: string): RichNode[] {
  const nodes: RichNode[] = []
  let at = 0
  const put = (text: string) => text !== '' && nodes.push({ type: 'text', text })
  for (const { start, end, field, fallback } of fieldsIn(line)) {
    put(line.slice(at, start))
    nodes.push({ type: 'mergeField', attrs: { field, fallback } })
    at = end
  }
  put(line.slice(at))
  return nodes
}
