import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The clone's top folder, wherever the command was called from. */
export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
