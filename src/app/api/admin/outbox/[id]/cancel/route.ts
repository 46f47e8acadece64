import { verbRoute } from '../../act-on-one.ts'

export const POST = verbRoute('Cancels an email that waits, and the steps that would have followed.', () => ({
  action: 'cancel',
}))
