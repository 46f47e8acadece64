/** Shared by everything that opens over the page and offers rows to choose from. */
export const menuSurface =
  'z-50 min-w-44 max-w-[calc(100vw-1rem)] animate-appear overflow-y-auto rounded-lg border border-border bg-raised p-1 shadow-raised outline-none'

export const menuRow =
  'flex min-h-9 w-full cursor-default select-none items-center gap-2.5 rounded-md px-2 text-left text-sm outline-none data-disabled:opacity-55 data-highlighted:bg-sunken lg:min-h-8 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted'

export const menuLabel = 'px-2 pt-1.5 pb-1 text-muted text-xs'
