import { type Editor, Extension, Node } from '@tiptap/core'
import { Plugin, PluginKey } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'
import { fieldsIn } from '#lib/sequences/fields-in.ts'
import { parseTemplate } from '#lib/sequences/template.ts'
import { CHIP } from './chip-style.ts'
import { chipLabel } from './field-words.ts'

const EDITED_CHIP = `${CHIP} [&.ProseMirror-selectednode]:outline-2 [&.ProseMirror-selectednode]:outline-accent-text`

/** What is one thing in a text: moved over in one step, never split by typing, opened by Enter. */
function atom(name: string, parse: { tag: string; read: (element: HTMLElement) => Record<string, string | null> }[]) {
  return (attributes: readonly string[], label: (attrs: Record<string, string | null>) => string) =>
    Node.create({
      name,
      group: 'inline',
      inline: true,
      atom: true,
      selectable: true,
      priority: 1_100,
      addAttributes: () =>
        Object.fromEntries(attributes.map((attribute) => [attribute, { default: null, rendered: false }])),
      parseHTML: () => parse.map(({ tag, read }) => ({ tag, priority: 60, getAttrs: read })),
      renderHTML: ({ node }) => ['span', { class: EDITED_CHIP, [`data-${name.toLowerCase()}`]: '' }, label(node.attrs)],
      renderText: ({ node }) => label(node.attrs),
    })
}

export const MergeFieldNode = atom('mergeField', [
  {
    tag: 'span[data-field]',
    read: ({ dataset }) => ({ field: dataset.field ?? '', fallback: dataset.fallback ?? null }),
  },
])(['field', 'fallback'], ({ field, fallback }) => chipLabel(field ?? '', fallback ?? null))

/** Pictures of other places are not loaded while a text is written; the preview shows them. */
export const MailImageNode = atom('mailImage', [
  {
    tag: 'img[src]',
    read: (element) => ({ src: element.getAttribute('src'), alt: element.getAttribute('alt') }),
  },
])(['src', 'alt'], ({ alt, src }) => `Picture: ${alt || src}`)

export const MailButtonNode = atom('mailButton', [
  {
    tag: 'a.button[href]',
    read: (element) => ({ href: element.getAttribute('href'), label: element.textContent }),
  },
])(['href', 'label'], ({ label }) => `Button: ${label}`)

const marksKey = new PluginKey<ReadonlySet<string>>('field-marks')

/** The fields without a fallback that a prospect lacks; the chips of them are marked. */
export function markLacking(editor: Editor, lacking: ReadonlySet<string>): void {
  editor.view.dispatch(editor.state.tr.setMeta(marksKey, lacking).setMeta('addToHistory', false))
}

/**
 * A field that is typed or pasted becomes a chip as soon as its braces are closed. What stands in braces and is no field
 * is marked where it stands.
 */
export const FieldChips = Extension.create({
  name: 'fieldChips',
  addProseMirrorPlugins() {
    return [
      new Plugin<ReadonlySet<string>>({
        key: marksKey,
        state: {
          init: () => new Set<string>(),
          apply: (transaction, lacking) => transaction.getMeta(marksKey) ?? lacking,
        },
        appendTransaction(transactions, _before, { doc, schema, tr }) {
          if (!transactions.some(({ docChanged }) => docChanged)) return null
          const found: { from: number; to: number; attrs: { field: string; fallback: string | null } }[] = []
          doc.descendants((node, at) => {
            for (const { start, end, field, fallback } of fieldsIn(node.text ?? ''))
              found.push({ from: at + start, to: at + end, attrs: { field, fallback } })
          })
          const type = schema.nodes.mergeField
          if (found.length === 0 || !type) return null
          for (const { from, to, attrs } of found.toReversed()) tr.replaceWith(from, to, type.create(attrs))
          return tr
        },
        props: {
          decorations(state) {
            const lacking = marksKey.getState(state) ?? new Set<string>()
            const marks: Decoration[] = []
            state.doc.descendants((node, at) => {
              const { field, fallback } = node.attrs
              if (node.type.name === 'mergeField' && fallback === null && lacking.has(field))
                marks.push(Decoration.node(at, at + node.nodeSize, { class: 'bg-warning-soft! text-warning-text!' }))
              for (const error of parseTemplate(node.text ?? '').errors) {
                const from = at + error.at
                const end = (node.text ?? '').indexOf('}}', error.at)
                const to = end < 0 ? at + node.nodeSize : at + end + 2
                marks.push(
                  Decoration.inline(from, to, {
                    class: 'text-danger-text underline decoration-wavy',
                    title: error.sentence,
                  }),
                )
              }
            })
            return DecorationSet.create(state.doc, marks)
          },
        },
      }),
    ]
  },
})
