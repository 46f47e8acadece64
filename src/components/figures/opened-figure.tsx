'use client'

import dynamic from 'next/dynamic'
import { useUrlParams } from '../use-url-params.ts'
import { BEHIND_PARAMS, behindIn } from './doors.ts'

const RowsBehind = dynamic(() => import('./rows-behind.tsx').then((part) => part.RowsBehind))

/** On each page that has doors: the rows of the figure that its address names. */
export function OpenedFigure() {
  const { params, change } = useUrlParams()
  const behind = behindIn(params)
  if (!behind) return null
  const shut = Object.fromEntries(BEHIND_PARAMS.map((name) => [name, null]))
  return <RowsBehind behind={behind} onClose={() => change({ ...shut, cursor: params.get('cursor') })} />
}
