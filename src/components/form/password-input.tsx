'use client'

import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { Input } from '#components/ui/control/input.tsx'

/** With a look at what was typed: on a phone nobody types twelve characters blindly. */
export function PasswordInput(props: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  const [isShown, setIsShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  return (
    <div className="relative">
      <Input {...props} type={isShown ? 'text' : 'password'} spellCheck={false} className="pr-11!" />
      <button
        type="button"
        aria-label="Show the password"
        aria-pressed={isShown}
        onClick={() => setIsShown(!isShown)}
        className="absolute inset-y-0 right-0 flex w-10 items-center justify-center rounded-md text-muted -outline-offset-2 hover:text-text"
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </div>
  )
}
