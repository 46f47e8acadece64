import { defineConfig } from 'prisma/config'

export default defineConfig({
  schema: 'schema.prisma',
  migrations: { path: 'migrations' },
  // Only the ordinary CLI reads this; `npm run migrate` connects by itself.
  datasource: { url: process.env.DATABASE_URL ?? '' },
})
