import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

// What is fetched on demand takes longer than the library's second on a busy machine.
configure({ asyncUtilTimeout: 60_000 })

/** Every test of a component begins with an empty document. */
afterEach(cleanup)
