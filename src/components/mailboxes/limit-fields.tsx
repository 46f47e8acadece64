import { Field } from '#components/ui/control/field.tsx'
import { Input } from '#components/ui/control/input.tsx'

interface LimitFieldsProps {
  displayName: string
  dailyLimit: number
  rollingLimit: number
  errorAt: (name: string) => string | null
}

/** What a mailbox is called, and how much leaves from it. */
export function LimitFields({ displayName, dailyLimit, rollingLimit, errorAt }: LimitFieldsProps) {
  return (
    <>
      <Field label="From name" hint="Readers see it in front of the address." error={errorAt('displayName')}>
        <Input name="displayName" defaultValue={displayName} autoComplete="off" placeholder="Ada of Acme" />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Emails a day"
          hint="By the workspace’s clock. 30 to 50 keep a mailbox in good standing."
          error={errorAt('dailyLimit')}
        >
          <Input name="dailyLimit" inputMode="numeric" defaultValue={dailyLimit} autoComplete="off" />
        </Field>
        <Field
          label="Emails in any 24 hours"
          hint="What the provider counts; above it, it refuses."
          error={errorAt('rollingLimit')}
        >
          <Input name="rollingLimit" inputMode="numeric" defaultValue={rollingLimit} autoComplete="off" />
        </Field>
      </div>
    </>
  )
}

export function limitsIn({ displayName = '', dailyLimit, rollingLimit }: Record<string, string>) {
  return { displayName: displayName.trim(), dailyLimit: Number(dailyLimit), rollingLimit: Number(rollingLimit) }
}
