'use client'

import { Card } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/control/copy-button.tsx'

interface CallCardProps {
  /** As it is saved. */
  name: string
  fields: readonly { field: string; isNeeded: boolean }[]
}

/** What a program sends to have it sent. */
export function CallCard({ name, fields }: CallCardProps) {
  const said = Object.fromEntries(fields.filter(({ isNeeded }) => isNeeded).map(({ field }) => [field, '…']))
  const body = JSON.stringify({ to: 'person@example.com', template: { name, fields: said } }, null, 2)
  return (
    <Card
      title="How a program sends it"
      description="POST /api/emails with an API key, and this as its body."
      actions={<CopyButton label="Copy the body" text={body} />}
    >
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
        tabIndex={0}
        className="overflow-x-auto rounded-md border border-border bg-sunken p-3 font-mono text-xs"
      >
        {body}
      </pre>
    </Card>
  )
}
