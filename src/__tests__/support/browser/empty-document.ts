import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'

/** Every test of a component begins with an empty document. */
afterEach(cleanup)
