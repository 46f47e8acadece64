/**
 * Goes there with a fresh page, so that nothing of the person or workspace before stays in memory.
 * It never settles: the button that waits for it waits until the page is gone.
 */
export function leaveFor(href: string): Promise<never> {
  window.location.assign(href)
  return new Promise(() => undefined)
}
