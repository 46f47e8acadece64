/** Of one text, and of a whole sequence: beyond them a person mends the first ones before more are shown. */
export const PROBLEMS_MAX = 50
/** In one text. Each can be a thousand characters long once it is filled in. */
export const FIELDS_MAX = 500
/** Elements inside one another. Newsletters made of tables stay below 40; what converts HTML to text recurses. */
export const DEPTH_MAX = 100
export const ELEMENTS_MAX = 5_000
export const ATTRIBUTES_MAX = 15_000
/** Characters times the tags around them: what converts HTML to text hands its text on at each level. */
export const NESTED_MAX = 12_000_000
/** Characters times the quotes and lists around them: the text part is written anew at each level. */
export const QUOTED_MAX = 1_000_000
