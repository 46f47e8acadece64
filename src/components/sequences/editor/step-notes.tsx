import { CircleAlert, TriangleAlert } from 'lucide-react'
import { fieldsIn } from '#lib/sequences/fields-in.ts'
import { parseTemplate } from '#lib/sequences/template.ts'
import { type Coverage, lackSentence } from '../fields/field-words.ts'
import type { DraftStep } from './draft.ts'

type Notes = { problems: string[]; lacks: string[] }

/** What the fields of a step say while it is written: unknown ones, and those that many people lack. */
export function notesOn({ subject, bodyText, bodyHtml }: DraftStep, coverage: Coverage): Notes {
  const texts = [subject, bodyText, bodyHtml]
  const problems = texts.flatMap((text) => parseTemplate(text).errors.map(({ sentence }) => sentence))
  const open = texts.flatMap((text) => fieldsIn(text).filter(({ fallback }) => fallback === null))
  const lacks = open.flatMap(({ field }) => lackSentence(field, coverage) ?? [])
  return { problems: [...new Set(problems)], lacks: [...new Set(lacks)] }
}

/** `problems` keep the sequence from being launched; what people lack only holds those people back. */
export function StepNotes({ problems, lacks }: Notes) {
  return (
    <ul aria-live="polite" className="flex flex-col gap-1 text-[0.8125rem]">
      {problems.map((problem) => (
        <li key={problem} className="flex gap-1.5 text-danger-text">
          <CircleAlert aria-label="Problem:" role="img" className="mt-0.5 size-4 shrink-0" />
          <span>{problem}</span>
        </li>
      ))}
      {lacks.map((lack) => (
        <li key={lack} className="flex gap-1.5 text-warning-text">
          <TriangleAlert aria-label="Warning:" role="img" className="mt-0.5 size-4 shrink-0" />
          <span>{lack}</span>
        </li>
      ))}
    </ul>
  )
}
