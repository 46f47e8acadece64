import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { HOSTILE_FILES } from './hostile-files.ts'
import { readingOf } from './readings.ts'

/** Writes python-answers.json anew: node src/__tests__/support/texts/ask-python.ts, where there is a python3. */
const input = HOSTILE_FILES.map(({ bytes, ...file }) => ({ ...file, base64: bytes.toString('base64') }))
const { stdout, status } = spawnSync('python3', [`${import.meta.dirname}/ask-python.py`], {
  input: JSON.stringify(input),
  encoding: 'utf8',
  maxBuffer: 100_000_000,
})
if (status !== 0) throw new Error('python3 has not answered')
const answers = JSON.parse(stdout) as Record<string, { rows: string[][] } | { error: string }>
const readings = Object.entries(answers).map(([name, answer]) => [
  name,
  'rows' in answer ? readingOf(answer.rows) : answer,
])
writeFileSync(
  `${import.meta.dirname}/python-answers.json`,
  `${JSON.stringify(Object.fromEntries(readings), undefined, 2)}\n`,
)
