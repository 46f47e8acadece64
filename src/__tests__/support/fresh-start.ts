import { afterAll, vi } from 'vitest'

/**
 * The test files of a kind follow each other in one process, as most of a file's start is the loading of libraries.
 * Nothing else reaches the next one: it loads the modules of the product anew, in the environment that this one found.
 */
const found = { ...process.env }

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in found)) delete process.env[name]
  Object.assign(process.env, found)
  // What the product keeps for a module that is loaded again (a pool, say) belongs to this file's database.
  for (const name of Object.keys(globalThis)) if (name.startsWith('sendonce')) Reflect.deleteProperty(globalThis, name)
  vi.resetModules()
})
