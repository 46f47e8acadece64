import { Resolver } from 'node:dns/promises'
import type { ResolveTxt } from '#lib/mail/domains/verify-domain.ts'

const ANSWER_MS_MAX = 3_000

/** The TXT records of a name, from DNS and not from any cache of ours. */
export const resolveTxt: ResolveTxt = (name) => new Resolver({ timeout: ANSWER_MS_MAX, tries: 2 }).resolveTxt(name)
