import { after } from 'next/server'
import { authWith } from '#lib/wiring/auth.ts'

export const auth = () => authWith(after)
