/** Text that is already HTML. Only `html` and `trusted` make it, so whatever a mail contains arrives escaped. */
export type Markup = { readonly markup: string }

type Part = string | number | Markup | null | undefined | false | Part[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return { markup: strings.map((piece, index) => piece + render(parts[index])).join('') }
}

/** For the catcher's own stylesheet and scripts, never for anything that came with a mail. */
export function trusted(markup: string): Markup {
  return { markup }
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(render).join('')
  if (typeof part === 'object') return part.markup
  return escapeHtml(String(part))
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
