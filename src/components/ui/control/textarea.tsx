'use client'

import clsx from 'clsx'
import type { ComponentProps } from 'react'
import { controlStyle } from './control-style.ts'
import { useFieldWiring } from './field.tsx'

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea {...useFieldWiring()} className={clsx(controlStyle, 'py-1.5', className)} {...props} />
}
