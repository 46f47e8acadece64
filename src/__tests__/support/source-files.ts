import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '#cli/project.ts'

export type SourceFile = { path: string; text: string }

/** Every file that git tracks or would track, as it is in the working tree. */
export function trackedPaths(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: projectRoot,
    encoding: 'utf8',
  })
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(projectRoot, path)))
}

export function readTracked(path: string): SourceFile {
  return { path, text: readFileSync(join(projectRoot, path), 'utf8') }
}

export function sourceFiles(folder: string): SourceFile[] {
  return trackedPaths()
    .filter((path) => path.startsWith(`${folder}/`) && /\.(ts|tsx|mjs)$/.test(path))
    .map(readTracked)
}

/** What a file imports, as written. */
export function importsOf({ text }: SourceFile): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '')
}
