'use client'

import clsx from 'clsx'
import type { ComponentProps } from 'react'
import { controlStyle } from './control-style.ts'
import { useFieldWiring } from './field.tsx'

export function Textarea({ className, rows = 4, ...props }: ComponentProps<'textarea'>) {
  return <textarea rows={rows} {...useFieldWiring()} className={clsx(controlStyle, 'py-2', className)} {...props} />
}
