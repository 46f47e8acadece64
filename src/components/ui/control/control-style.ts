/** 16 px on phones, since iOS zooms into anything smaller when it is focused. */
export const controlStyle =
  'w-full min-w-0 rounded-md border border-control bg-surface px-2.5 text-base text-text shadow-card lg:text-sm disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted aria-invalid:border-danger'
