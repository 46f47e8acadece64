/** Of a merge field, wherever a text is shown: in the editor as in a list. */
export const CHIP =
  'mx-px inline-flex max-w-full items-center rounded-sm bg-accent-soft px-1 align-baseline text-accent-text'
