import { Parser } from 'htmlparser2'
import parseCss from 'postcss-safe-parser'

type Rule = Extract<ReturnType<typeof parseCss>['nodes'][number], { type: 'rule' }>

/** What HTML says of styles, and how large it is. */
type Styled = {
  sheets: string[]
  attributes: string[]
  tags: number
  /** How many tags have a name (`p`) or a class (`.p`). */
  called: Map<string, number>
  siblingsMax: number
  depthMax: number
}

/** Each measured, with the comparison of one part of a selector with one tag as one. */
const COSTS = { tag: 60, rule: 40, written: 6, character: 1 / 40 }

/** That many are done in less than 50 ms. */
export const COST_MAX = 130_000

const VARIABLE = /var\s*\(/i

/**
 * What writing the styles of an HTML text at its tags costs at most, counted in parts of selectors that are compared with
 * a tag; infinite where no bound is known. The library has none of its own: some hundred characters of
 * `i~b~b~b~c`, of `:has()` in `:has()`, or of variables that are made of variables take it hours.
 */
export function inliningCost(html: string): number {
  const styled = stylesIn(html)
  const variables = VARIABLE.test(html) ? lengthOfVariables(styled) : undefined
  // The library reads them as rules, and what stands inside a rule as rules of their own.
  if (styled.attributes.some((style) => /[{}]/.test(style)) || variables === Number.POSITIVE_INFINITY)
    return Number.POSITIVE_INFINITY
  if (leastCostOf(styled.sheets) > COST_MAX) return Number.POSITIVE_INFINITY
  const size = Math.max(styled.tags, html.length / 100)
  const ofValue = (text: string) => (variables === undefined ? 0 : resolvingCost(text, variables, styled.depthMax))
  const { rules, written } = rulesOf(styled.sheets)
  const ofSheets = written.reduce((sum, rule) => sum + costOfRule(rule, size, styled, ofValue), COSTS.rule * rules)
  return COSTS.tag * styled.tags + ofSheets + styled.attributes.reduce((sum, style) => sum + ofValue(style), 0)
}

export const namesVariables = (html: string) => VARIABLE.test(html)

/** Told without reading them, since reading a long one is work as well. */
function leastCostOf(sheets: readonly string[]): number {
  const count = (sign: string) => sheets.reduce((sum, sheet) => sum + sheet.split(sign).length - 1, 0)
  return COSTS.rule * count('{') + COSTS.written * count(';')
}

function stylesIn(html: string): Styled {
  const styled: Styled = { sheets: [], attributes: [], tags: 0, called: new Map(), siblingsMax: 0, depthMax: 0 }
  const count = (call: string) => styled.called.set(call, (styled.called.get(call) ?? 0) + 1)
  const children = [0]
  let sheet: string[] | undefined
  const parser = new Parser({
    onopentag(name, { style, class: classes = '' }) {
      count(name)
      for (const one of new Set(classes.split(/\s+/))) count(`.${one}`)
      const siblings = (children.at(-1) ?? 0) + 1
      children[children.length - 1] = siblings
      children.push(0)
      styled.tags += 1
      styled.siblingsMax = Math.max(styled.siblingsMax, siblings)
      styled.depthMax = Math.max(styled.depthMax, children.length)
      if (style !== undefined) styled.attributes.push(style)
      if (name === 'style') sheet = []
    },
    ontext: (text) => sheet?.push(text),
    onclosetag(name) {
      children.pop()
      if (name !== 'style' || !sheet) return
      styled.sheets.push(sheet.join(''))
      sheet = undefined
    },
  })
  parser.end(html)
  return styled
}

/**
 * How many there are, and those that are written at tags. Of rules with others inside the library makes new ones, and
 * nobody knows how many.
 */
function rulesOf(sheets: readonly string[]): { rules: number; written: Rule[] } {
  const written: Rule[] = []
  let rules = 0
  const open = sheets.flatMap((sheet) => parseCss(sheet).nodes.map((node) => ({ node, isWritten: true })))
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, isWritten } = next
    if (node.type !== 'atrule' && node.type !== 'rule') continue
    rules += node.type === 'rule' ? node.selectors.length : 1
    const inside = node.nodes ?? []
    if (node.type === 'atrule') for (const one of inside) open.push({ node: one, isWritten: false })
    else if (inside.some(({ type }) => type === 'rule' || type === 'atrule')) rules = Number.POSITIVE_INFINITY
    else if (isWritten) written.push(node)
  }
  return { rules, written }
}

function costOfRule(rule: Rule, size: number, styled: Styled, ofValue: (text: string) => number): number {
  const text = rule.toString()
  const ofWriting = rule.nodes.length * COSTS.written + text.length * COSTS.character + ofValue(text)
  return rule.selectors.reduce((sum, selector) => {
    const parts = (selector.match(/\s+|[^\w\s-]/g) ?? []).length + 1 + selector.length * COSTS.character
    return sum + parts * size * timesOf(selector, size, styled.siblingsMax) + ofWriting * tagsMetBy(selector, styled)
  }, 0)
}

/** At most, as far as the end of a selector tells it. */
function tagsMetBy(selector: string, { tags, called }: Styled): number {
  const [, name, oneClass] = /(?:^|[\s>+~])([a-z][\w-]*)?(\.[\w-]+)?$/i.exec(selector.replace(/[([\\].*$/s, '*')) ?? []
  const call = oneClass ?? name?.toLowerCase()
  return call === undefined ? tags : (called.get(call) ?? 0)
}

/** Pseudo-classes that are answered by looking at the tag itself; all others are taken for ones that look around. */
const LOOK_AT_ONE =
  /^(?:-.*|first-child|last-child|empty|root|not|is|where|matches|hover|active|focus|focus-within|focus-visible|visited|link|any-link|target|before|after|first-letter|first-line|marker|selection|placeholder)$/
const LOOK_AT_SIBLINGS = /^(?:nth-.*|only-.*|first-of-type|last-of-type)$/

/** How often a selector may be compared anew at one tag: what looks around does so at each tag that it finds. */
function timesOf(selector: string, size: number, siblingsMax: number): number {
  const siblings = (selector.match(/~(?!=)/g) ?? []).length
  const names = [...selector.matchAll(/:([\w-]+)/g)].map(([, name = '']) => name.toLowerCase())
  return names.reduce(
    (times, name) => times * (LOOK_AT_ONE.test(name) ? 1 : LOOK_AT_SIBLINGS.test(name) ? siblingsMax : size),
    siblingsMax ** siblings,
  )
}

/** Of all values together; infinite where they name others, since each may name two. */
function lengthOfVariables({ sheets, attributes }: Styled): number {
  if (attributes.some((style) => style.includes('--') && VARIABLE.test(style))) return Number.POSITIVE_INFINITY
  let length = attributes.reduce((sum, style) => sum + (style.includes('--') ? style.length : 0), 0)
  for (const sheet of sheets) {
    parseCss(sheet).walkDecls(/^--/, ({ value }) => {
      length += VARIABLE.test(value) ? Number.POSITIVE_INFINITY : value.length
    })
  }
  return length
}

/** Each function in a value is looked for in the whole of it, and what a variable says is put into it. */
function resolvingCost(text: string, variables: number, depthMax: number): number {
  const calls = text.split('(').length - 1
  return calls * (text.length + calls * variables + depthMax) * COSTS.character
}
