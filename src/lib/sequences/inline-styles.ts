import juice from 'juice'
import { compiledHtmlOf } from './compile-html.ts'
import { hasMarks, markFields, marksIn, replaceMarks } from './fields-in.ts'
import { COST_MAX, inliningCost, namesVariables } from './inlining-cost.ts'

/** As long as an author's own HTML may be. */
const LENGTH_MAX = 300_000

// Signs of other template languages, which it would look for to the end of the text from each that it finds.
for (const language of Object.keys(juice.codeBlocks)) delete juice.codeBlocks[language]

const STYLE_SHEET = /<style[\s>]/i

/**
 * HTML as it is sent: the rules of its style sheets stand at the tags that they meet, since many mail programs read no
 * style sheet. What can only stand in one (`@media`, `:hover`) stays there. Fields are passed over as they were written.
 * Null where nothing is to be inlined, and where the result would say anything else than the source did.
 */
export function inlineStyles(source: string): string | null {
  if (!STYLE_SHEET.test(source) || hasMarks(source)) return null
  const compiled = compiledHtmlOf(source)
  if (!compiled.ok) return null
  const { marked, fields } = markFields(source)
  if (inliningCost(marked) > COST_MAX) return null
  const styled = inline(marked)
  // A field that was lost, doubled or moved on the way.
  if (marksIn(styled).join() !== fields.map((_, index) => index).join()) return null
  if (styled.length > LENGTH_MAX) return null
  const inlined = replaceMarks(styled, (index) => source.slice(fields[index]?.start, fields[index]?.end))
  const again = compiledHtmlOf(inlined)
  return again.ok && again.html.fields.length === compiled.html.fields.length ? inlined : null
}

/** As it will be sent. */
export function asSent(bodyHtml: string): string {
  return inlineStyles(bodyHtml) ?? bodyHtml
}

function inline(marked: string): string {
  try {
    return juice(marked, {
      preserveMediaQueries: true,
      preserveFontFaces: true,
      preserveKeyFrames: true,
      // It looks for them in every value, whether there are any or not.
      resolveCSSVariables: namesVariables(marked),
    })
  } catch {
    // A style sheet that cannot be read styles nothing, here as in any mail program.
    return marked
  }
}
