import clsx from 'clsx'
import { MAIL_SERVICES, type MailService } from './providers.ts'

/** Radio buttons, so that the arrow keys choose. */
export function ServiceChoice({
  service,
  onChoose,
}: {
  service: MailService
  onChoose: (service: MailService) => void
}) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium text-sm">Where is the mailbox?</legend>
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
        {MAIL_SERVICES.map((one) => (
          <label
            key={one.key}
            className={clsx(
              'flex min-h-10 cursor-pointer items-center rounded-md border px-3 py-1.5 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2 lg:min-h-9',
              one === service
                ? 'border-accent bg-accent-soft font-medium text-accent-text'
                : 'border-control/60 hover:bg-sunken',
            )}
          >
            <input
              type="radio"
              name="service"
              value={one.key}
              checked={one === service}
              onChange={() => onChoose(one)}
              className="sr-only"
            />
            {one.name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
