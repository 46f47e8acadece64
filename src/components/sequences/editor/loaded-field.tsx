'use client'

import dynamic from 'next/dynamic'
import { Skeleton } from '#components/ui/skeleton.tsx'

/** The library of the editor comes with the first text that is edited, and on no other page. */
export const LoadedField = dynamic(async () => (await import('../fields/field-editor.tsx')).FieldEditor, {
  ssr: false,
  loading: () => <Skeleton className="h-20 w-full" />,
})
