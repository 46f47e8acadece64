import { verbRoute } from '../../act-on-one.ts'

export const POST = verbRoute('Starts an email that failed for good over, with a fresh count of attempts.', () => ({
  action: 'retry',
}))
