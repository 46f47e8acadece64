export const MAIN_ID = 'main'

export function SkipLink() {
  return (
    <a
      href={`#${MAIN_ID}`}
      className="-translate-y-16 fixed top-2 left-2 z-50 rounded-md bg-accent px-3 py-2 font-medium text-on-accent text-sm focus:translate-y-0"
    >
      Skip to the content
    </a>
  )
}
