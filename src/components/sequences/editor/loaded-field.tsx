'use client'

import dynamic from 'next/dynamic'
import type { ComponentProps } from 'react'
import { Skeleton } from '#components/ui/skeleton.tsx'
import type { FieldEditor } from '../fields/field-editor.tsx'

/** The library of the editor comes with the first text that is edited, and on no other page. */
const loadEditor = async () => (await import('../fields/field-editor.tsx')).FieldEditor

/** As high as what comes, so that nothing below them moves. */
const Line = dynamic(loadEditor, { ssr: false, loading: () => <Skeleton className="h-10.5 w-full lg:h-8.5" /> })
const Text = dynamic(loadEditor, { ssr: false, loading: () => <Skeleton className="h-49 w-full" /> })

export function LoadedField(props: ComponentProps<typeof FieldEditor>) {
  return props.kind === 'line' ? <Line {...props} /> : <Text {...props} />
}
