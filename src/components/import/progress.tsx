'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { Card } from '../ui/card.tsx'
import { ChooseAgain } from './choose-again.tsx'
import type { Report } from './import-form.ts'

interface ProgressProps {
  report: Report
  /** The file is in this browser: an import that stands still is taken up again by itself. */
  onStandstill: (() => void) | null
  onFile: (file: Blob, name: string) => void
}

/** After this long without another line, its process is gone: a restart, or a request that was cut off. */
const STANDSTILL_MS = 15_000

export function Progress({ report, onStandstill, onFile }: ProgressProps) {
  const { lines, totalLines, fileName } = report
  const isStill = useStandstill(lines, onStandstill)
  const share = totalLines ? Math.min(1, lines / totalLines) : 0
  const said = totalLines
    ? `${lines.toLocaleString('en')} of ${totalLines.toLocaleString('en')} lines`
    : 'The lines are being counted'
  return (
    <Card title={`${fileName ?? 'The file'} is being imported`}>
      <div
        role="progressbar"
        aria-label="Lines that are in"
        aria-valuemin={0}
        aria-valuemax={totalLines ?? undefined}
        aria-valuenow={lines}
        aria-valuetext={said}
        className="h-2 overflow-hidden rounded-full bg-sunken"
      >
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${share * 100}%` }} />
      </div>
      <p className="mt-2.5 text-sm tabular-nums">{said}</p>
      <p className="mt-1 text-muted text-sm">
        You can leave this page or close the laptop. What is in stays in, and this page finds the import again.
      </p>
      {isStill && !onStandstill && (
        <ChooseAgain
          sentence="Nothing has moved for a while: the server was probably restarted. Choose the same file again, and the import goes on where it stopped."
          onFile={onFile}
        />
      )}
    </Card>
  )
}

function useStandstill(lines: number, onStandstill: (() => void) | null): boolean {
  const [isStill, setIsStill] = useState(false)
  const act = useEffectEvent(() => {
    setIsStill(true)
    onStandstill?.()
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted anew from each line more
  useEffect(() => {
    setIsStill(false)
    const timer = setTimeout(act, STANDSTILL_MS)
    return () => clearTimeout(timer)
  }, [lines])
  return isStill
}
