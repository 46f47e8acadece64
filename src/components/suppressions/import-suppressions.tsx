'use client'

import clsx from 'clsx'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { controlStyle } from '#components/ui/control/control-style.ts'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { api } from '../api-client.ts'
import { counted } from '../counted.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { Callout } from '../ui/callout.tsx'
import { suppressionsIn } from './suppressions-in.ts'
import { useRefreshSuppressions } from './use-suppressions.ts'

interface ImportSuppressionsProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function ImportSuppressions({ isOpen, onOpenChange }: ImportSuppressionsProps) {
  return (
    <Dialog
      title="Suppress many at once"
      description="Paste addresses and domains, or choose a file that holds them: one on each line, or a CSV file with other columns beside."
      isOpen={isOpen}
      onOpenChange={onOpenChange}
    >
      <ImportForm onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

const AT_ONCE = 1_000
type Refused = { value: string; reason: string }

function ImportForm({ onDone }: { onDone: () => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshSuppressions()
  const [text, setText] = useState('')
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const values = suppressionsIn(text)
  const { formProps, isRunning, message } = useSubmit(async ({ reason }) => {
    const total = { added: 0, known: 0, cancelledEmails: 0 }
    const notTaken: Refused[] = []
    for (let from = 0; from < values.length; from += AT_ONCE) {
      const part = values.slice(from, from + AT_ONCE)
      const body = { values: part, reason }
      const done = await api('POST /api/suppressions/bulk', { body, workspaceId: workspace.id })
      total.added += done.added
      total.known += done.known
      total.cancelledEmails += done.cancelledEmails
      for (const one of done.refused) notTaken.push({ value: part[one.index] ?? '', reason: one.reason })
    }
    await refresh()
    const number = (count: number) => count.toLocaleString('en')
    toast.success(
      `${number(total.added)} added, ${counted(total.known, 'was', 'were')} on the list, ${counted(total.cancelledEmails, 'waiting email')} cancelled.`,
    )
    setRefused(notTaken)
    if (notTaken.length === 0) onDone()
    else setText(notTaken.map(({ value }) => value).join('\n'))
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      {refused.length > 0 && (
        <Callout tone="warning" title={`${refused.length} could not be taken; they are left below to be mended`}>
          <ul>
            {refused.slice(0, 5).map(({ value, reason }) => (
              <li key={value} className="break-words">
                {value}: {reason}
              </li>
            ))}
          </ul>
        </Callout>
      )}
      <textarea
        aria-label="Addresses and domains"
        value={text}
        onChange={(event) => setText(event.target.value)}
        rows={7}
        spellCheck={false}
        placeholder={'ada@example.com\ncompetitor.example'}
        className={clsx(controlStyle, 'py-2 font-mono text-[0.8125rem]!')}
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="text-muted text-sm tabular-nums">
          {values.length === 0 ? 'Nothing is found yet.' : `${values.length.toLocaleString('en')} found.`}
        </p>
        <input
          type="file"
          aria-label="A file of addresses and domains"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          className="max-w-full text-muted text-sm file:mr-2 file:h-8 file:rounded-md file:border file:border-control/60 file:bg-surface file:px-3 file:font-medium file:text-text"
          onChange={async (event) => setText((await event.target.files?.[0]?.text()) ?? '')}
        />
      </div>
      <Field label="Reason" hint="For the others here; the readers never see it.">
        <Input name="reason" autoComplete="off" maxLength={200} />
      </Field>
      <div className={dialogActions}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning} disabled={values.length === 0}>
          Suppress {values.length > 0 ? values.length.toLocaleString('en') : ''}
        </Button>
      </div>
    </form>
  )
}
