import type { Tone } from '../status-look.ts'

/** For badges and callouts: text on a soft ground. */
export const SOFT_TONE: Record<Tone, string> = {
  neutral: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent-text',
  success: 'bg-success-soft text-success-text',
  warning: 'bg-warning-soft text-warning-text',
  danger: 'bg-danger-soft text-danger-text',
  info: 'bg-info-soft text-info-text',
}

/** For bars and dots: no text stands on these. */
export const SOLID_TONE: Record<Tone, string> = {
  neutral: 'bg-control',
  accent: 'bg-accent',
  success: 'bg-success',
  warning: 'bg-warning',
  danger: 'bg-danger',
  info: 'bg-info',
}
