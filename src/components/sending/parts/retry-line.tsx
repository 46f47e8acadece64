import { delayInWords } from '../delays.ts'

/** When an email that fails is tried again, one after the other, counted from the first try. */
export function RetryLine({ delaysSeconds }: { delaysSeconds: readonly number[] }) {
  let sum = 0
  const tries = delaysSeconds.map((delay) => {
    sum += delay
    return sum
  })
  return (
    <ol aria-label="Tries" className="flex flex-wrap items-center gap-y-1.5 text-[0.8125rem]">
      <Stop words="at once" isFirst />
      {tries.map((seconds, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two tries may be at the same time, and the order is fixed
        <Stop key={index} words={`after ${delayInWords(seconds)}`} />
      ))}
      <li className="flex items-center gap-1.5 text-muted">
        <span aria-hidden className="h-px w-4 bg-border" />
        then a person decides
      </li>
    </ol>
  )
}

function Stop({ words, isFirst = false }: { words: string; isFirst?: boolean }) {
  return (
    <li className="flex items-center gap-1.5 pr-1.5">
      {!isFirst && <span aria-hidden className="h-px w-4 bg-control" />}
      <span aria-hidden className="size-2 rounded-full bg-accent" />
      {words}
    </li>
  )
}
