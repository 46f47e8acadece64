'use client'

import { fieldLabel } from '#components/sequences/fields/field-words.ts'
import { Card } from '#components/ui/card.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { Input } from '#components/ui/control/input.tsx'

interface FieldsCardProps {
  fields: readonly { field: string; isNeeded: boolean }[]
  said: Readonly<Record<string, string>>
  onSay: (said: Record<string, string>) => void
}

/** What a call would say, tried out: for the preview and for a test, and kept nowhere. */
export function FieldsCard({ fields, said, onSay }: FieldsCardProps) {
  return (
    <Card title="Fields, tried out" description="For the preview and a test. Where you write nothing, the name stands.">
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        {fields.map(({ field, isNeeded }) => (
          <Field key={field} label={fieldLabel(field)} hint={isNeeded ? undefined : 'Has a fallback'}>
            <Input
              value={said[field] ?? ''}
              maxLength={1_000}
              autoComplete="off"
              onChange={(event) => onSay({ ...said, [field]: event.target.value })}
            />
          </Field>
        ))}
      </div>
    </Card>
  )
}
