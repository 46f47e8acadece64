import { openHomeDatabase } from './home/database.ts'
import { applyMigrations } from './migrate/apply.ts'
import { checkMigrations } from './migrate/check.ts'
import { createMigration } from './migrate/create.ts'
import { directUrl } from './migrate/direct.ts'
import { Problem, runCommand } from './problem.ts'

const USAGE = `npm run migrate -- apply          applies what is pending
npm run migrate -- check          says in what schema, migrations and database disagree
npm run migrate -- create NAME    writes the next migration from prisma/schema.prisma`

await runCommand(async () => {
  const [verb, name, ...rest] = process.argv.slice(2)
  if (verb !== 'apply' && verb !== 'check' && verb !== 'create') throw new Problem(USAGE)
  // A wish like --dry-run that nobody heard would be the opposite of it.
  if (rest.length > 0 || (verb !== 'create' && name !== undefined)) throw new Problem(USAGE)
  const database = await openHomeDatabase()
  try {
    const url = await directUrl(database.url)
    if (verb === 'apply') report(await applyMigrations({ connectionString: url }))
    else if (verb === 'create') process.stdout.write(`Written: ${await createMigration(url, name ?? '')}\n`)
    else await check(url)
  } finally {
    await database.close()
  }
})

function report(applied: string[]) {
  process.stdout.write(
    applied.length === 0 ? 'Nothing to apply.\n' : applied.map((name) => `Applied ${name}\n`).join(''),
  )
}

async function check(url: string) {
  const problems = await checkMigrations({ connectionString: url })
  if (problems.length > 0) throw new Problem(problems.join('\n'))
  process.stdout.write('Schema, migrations and database agree.\n')
}
