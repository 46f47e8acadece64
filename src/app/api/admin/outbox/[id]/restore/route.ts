import { verbRoute } from '../../act-on-one.ts'

export const POST = verbRoute('Takes a cancellation or a dismissal back, where nothing was handed over.', () => ({
  action: 'restore',
}))
