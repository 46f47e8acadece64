/** What was typed and not saved, kept in this browser: a reload, a crash and a closed laptop lose nothing. */
export type KeptDraft<Value> = { version: number; value: Value; at: string }

const PREFIX = 'draft:'

export function readKeptDraft<Value>(name: string): KeptDraft<Value> | null {
  try {
    const kept = localStorage.getItem(PREFIX + name)
    return kept === null ? null : JSON.parse(kept)
  } catch {
    return null
  }
}

/** Answers whether it could be kept: a browser may have no room, or allow none. */
export function keepDraft<Value>(name: string, draft: KeptDraft<Value>): boolean {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}

export function forgetDraft(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name)
  } catch {
    // A browser that allows no reading has kept nothing either.
  }
}
