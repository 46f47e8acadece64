/** The mark of src/app/icon.svg, in the page's own accent. */
function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7 shrink-0">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <g fill="none" strokeWidth="2.4" strokeLinecap="round" strokeLinejoin="round" className="stroke-on-accent">
        <path d="M7 11.5 16 18l9-6.5" />
        <path d="M14 23.5H9.5A2.5 2.5 0 0 1 7 21v-9.5A2.5 2.5 0 0 1 9.5 9h13a2.5 2.5 0 0 1 2.5 2.5V15" />
        <path d="m17.5 22 3 3 5.5-6" />
      </g>
    </svg>
  )
}

export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2.5 font-semibold text-[0.9375rem] tracking-tight">
      <Logo />
      Sendonce
    </span>
  )
}
