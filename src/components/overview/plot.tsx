import clsx from 'clsx'
import type { ReactNode } from 'react'

/** Across, in the units of a plot's own drawing; it is stretched to the width that there is. */
export const STEP = 10

/** A round number at or above the highest bar, so that the axis has words for its end and its middle. */
export function topOf(most: number): number {
  if (most <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(most))
  const step = (power === 1 ? [2, 4, 6, 8, 10] : [1, 2, 4, 5, 6, 8, 10]).find((factor) => factor * power >= most) ?? 10
  return step * power
}

interface PlotProps {
  /** For who cannot see it: what it shows and its most telling figure. */
  label: string
  unit: string
  top: number
  height: number
  steps: number
  /** Below the bars: a word at each of these steps. */
  ticks?: readonly { step: number; word: string; isMinor?: boolean }[]
  isMiddleShown?: boolean
  className?: string
  children: ReactNode
}

/** Axes and their words around bars. Only the bars are stretched: words keep their size on a phone. */
export function Plot({ label, unit, top, height, steps, ticks, isMiddleShown, className, children }: PlotProps) {
  const words = isMiddleShown ? [top, top / 2, 0] : [top, 0]
  return (
    <div className={clsx('grid grid-cols-[3rem_minmax(0,1fr)] gap-x-2', className)}>
      <div
        aria-hidden
        className="flex flex-col justify-between text-right text-muted text-xs leading-none"
        style={{ height }}
      >
        {words.map((word) => (
          <span key={word}>{word.toLocaleString('en')}</span>
        ))}
      </div>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${steps * STEP} ${height}`}
        preserveAspectRatio="none"
        className="w-full overflow-visible"
        style={{ height }}
      >
        {words.map((word) => (
          <line
            key={word}
            x1={0}
            x2={steps * STEP}
            y1={height - (word / top) * height}
            y2={height - (word / top) * height}
            vectorEffect="non-scaling-stroke"
            className="stroke-border"
          />
        ))}
        {children}
      </svg>
      <span aria-hidden className="text-right text-muted text-xs">
        {ticks && unit}
      </span>
      {ticks && (
        <div aria-hidden className="relative h-5 overflow-hidden text-muted text-xs">
          {ticks.map(({ step, word, isMinor }) => (
            <span
              key={step}
              className={clsx(
                'absolute top-1 whitespace-nowrap border-control/60 border-l pl-1 leading-none',
                isMinor && 'max-sm:hidden',
              )}
              style={{ left: `${(step / steps) * 100}%` }}
            >
              {word}
            </span>
          ))}
        </div>
      )}
    </div>
  )
}

interface BarProps {
  step: number
  value: number
  /** Where it stands on another bar. */
  above?: number
  top: number
  height: number
  className: string
}

/** One that counts anything is high enough to be seen. */
export function Bar({ step, value, above = 0, top, height, className }: BarProps) {
  if (value <= 0) return null
  const high = Math.max(2, (value / top) * height)
  const low = (above / top) * height
  return (
    <rect
      x={step * STEP + 1.5}
      y={Math.max(0, height - low - high)}
      width={STEP - 3}
      height={high}
      vectorEffect="non-scaling-stroke"
      className={className}
    />
  )
}
