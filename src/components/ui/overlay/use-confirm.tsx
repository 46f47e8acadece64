'use client'

import { type ReactNode, useState } from 'react'
import { messageOf } from '#components/api-client.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'

export interface Question {
  title: string
  description: ReactNode
  confirmLabel: string
  tone?: 'normal' | 'danger'
  run: () => Promise<void>
}

/** One dialog for all that a page asks before doing it: `ask(question)` opens it. Put `dialog` anywhere on the page. */
export function useConfirm(): { ask: (question: Question) => void; dialog: ReactNode } {
  const [question, setQuestion] = useState<Question | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  return {
    ask: (next) => {
      setQuestion(next)
      setIsOpen(true)
    },
    dialog: question && (
      <ConfirmDialog
        title={question.title}
        description={question.description}
        confirmLabel={question.confirmLabel}
        tone={question.tone}
        isOpen={isOpen}
        onOpenChange={setIsOpen}
        onConfirm={question.run}
        errorOf={messageOf}
      />
    ),
  }
}
