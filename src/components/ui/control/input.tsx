'use client'

import clsx from 'clsx'
import type { ComponentProps } from 'react'
import { controlStyle } from './control-style.ts'
import { useFieldWiring } from './field.tsx'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input {...useFieldWiring()} className={clsx(controlStyle, 'h-10 lg:h-8', className)} {...props} />
}
