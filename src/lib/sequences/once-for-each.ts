import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const SIZE_MAX = 32 * 1024 * 1024
/** What is kept beside the text itself: its key, and the list of its parts. */
const SIZE_OF_ONE = 1_000
const LENGTH_OF_A_KEY_MAX = 100

/**
 * Reads a text once for each version of it, and answers what was read from then on. The version is the content: a time of
 * change can be the same for two versions, and a draft in the editor has none. What is answered is shared and must not be
 * changed.
 */
export function onceForEach<T extends object>(read: (text: string) => T): (text: string) => T {
  const kept = new LRUCache<string, T>({ maxSize: SIZE_MAX })
  return (text) => {
    const key =
      text.length <= LENGTH_OF_A_KEY_MAX ? text : `${text.length} ${createHash('sha256').update(text).digest('base64')}`
    const known = kept.get(key)
    if (known) return known
    const result = read(text)
    kept.set(key, result, { size: text.length * 4 + SIZE_OF_ONE })
    return result
  }
}
