import { Parser } from 'htmlparser2'
import { LINKS } from './field-places.ts'
import { ATTRIBUTES_MAX, DEPTH_MAX, ELEMENTS_MAX, NESTED_MAX, PROBLEMS_MAX, QUOTED_MAX } from './limits.ts'

export type ProblemInHtml = { at: number; sentence: string }

/** `isTooMuch`: reading ended at a limit, and nothing else should be read of it. */
export type AuthorProblems = { problems: ProblemInHtml[]; isTooMuch: boolean }

const RUNS = /^(javascript|vbscript|data):/
/** Each writes its text anew, with something before every line. */
const QUOTES = new Set(['blockquote', 'li'])

/**
 * What an author has written and no mail may hold, whatever stands in its fields: what runs, which every mail program
 * takes out and many count against the sender; and more of anything than can be made into text in no time.
 */
export function authorProblems(html: string): AuthorProblems {
  const problems: ProblemInHtml[] = []
  let depth = 0
  let elements = 0
  let attributeCount = 0
  let nested = 0
  let quotes = 0
  let quoted = 0
  let isTooMuch = false
  const refuse = (sentence: string) => {
    problems.push({ at: parser.startIndex, sentence })
    if (problems.length >= PROBLEMS_MAX) parser.pause()
  }
  const refuseAndEnd = (sentence: string) => {
    refuse(sentence)
    isTooMuch = true
    parser.pause()
  }
  const parser = new Parser({
    onattribute: () => {
      attributeCount += 1
      if (attributeCount > ATTRIBUTES_MAX)
        refuseAndEnd(`The HTML has more than ${ATTRIBUTES_MAX} attributes up to here; an email has fewer.`)
    },
    onopentag: (name, attributes) => {
      depth += 1
      elements += 1
      if (QUOTES.has(name)) quotes += 1
      quoted += quotes
      if (depth > DEPTH_MAX)
        refuseAndEnd(`More than ${DEPTH_MAX} tags stand inside one another here; close them, or nest them less.`)
      else if (elements > ELEMENTS_MAX)
        refuseAndEnd(`The HTML has more than ${ELEMENTS_MAX} tags up to here; an email has fewer.`)
      if (name === 'script')
        refuse('A script stands here. No mail program runs it, and many refuse the mail: take it out.')
      for (const [attribute, value] of Object.entries(attributes)) {
        if (/^on./.test(attribute))
          refuse(`The attribute ${shown(attribute)} runs a script, which no mail program does: take it out.`)
        else if (LINKS.has(attribute) && attribute !== 'src' && RUNS.test(squeezed(value)))
          refuse(
            `The link of <${shown(name)}> runs something in place of leading somewhere; write an address like https://….`,
          )
      }
    },
    onclosetag: (name) => {
      depth -= 1
      if (QUOTES.has(name)) quotes -= 1
    },
    ontext: (text) => {
      nested += text.length * depth
      quoted += text.length * quotes
      if (nested > NESTED_MAX)
        refuseAndEnd('Too long a text stands inside too many tags here; shorten it, or nest them less.')
      else if (quoted > QUOTED_MAX)
        refuseAndEnd('Too long a text stands inside too many quotes and lists here; shorten it, or nest them less.')
    },
  })
  parser.write(html)
  return { problems, isTooMuch }
}

const SCHEME_LENGTH_MAX = 100

/** As browsers read a scheme: whatever is no letter in front of it or within is passed over. */
function squeezed(link: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is passed over
  const plain = link.replace(/^[\u0000-\u0020]+/, '').slice(0, SCHEME_LENGTH_MAX)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is passed over
  return plain.replace(/[\u0000-\u0020]/g, '').toLowerCase()
}

const shown = (name: string) => name.slice(0, 40)
