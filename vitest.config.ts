import { defineConfig } from 'vitest/config'

/** One project for each kind of test; `npm test` runs them all, `npx vitest --project unit` one of them. */
export default defineConfig({
  test: {
    projects: [
      {
        test: { name: 'unit', include: ['src/__tests__/unit/**/*.test.ts'], environment: 'node' },
      },
      {
        test: { name: 'architecture', include: ['src/__tests__/architecture/**/*.test.ts'], environment: 'node' },
      },
      {
        test: {
          name: 'integration',
          include: ['src/__tests__/integration/**/*.test.ts'],
          environment: 'node',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
