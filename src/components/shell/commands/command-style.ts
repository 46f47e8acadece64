/** The field looks the same before and after the list behind it has come. */
export const commandField = {
  frame: 'flex items-center gap-2.5 border-border border-b px-4',
  input: 'h-12 w-full bg-transparent text-base outline-none lg:text-sm',
  placeholder: 'Go to a page, or do something…',
}
