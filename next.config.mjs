/** @type {import('next').NextConfig} */
export default {
  reactStrictMode: true,
  poweredByHeader: false,
  // `npm test` checks the types of everything, tests included; a start should not wait for it again.
  typescript: { ignoreBuildErrors: true },
  // Of this package, only what is named: it exports all of its parts through one door.
  experimental: { optimizePackageImports: ['radix-ui'] },
  // Loaded only where DISPATCH names a broker, and then as they are: parts of them look for files of their own.
  serverExternalPackages: ['amqplib', 'bullmq', 'ioredis'],
  // The health check compares the database with the folder of migrations, which no import names.
  outputFileTracingIncludes: { '/api/health': ['./prisma/migrations/**'] },
}
