/** The suite runs what reckons with clocks on hosts in three zones, as vitest.config.ts says. */
const HOSTS = 3

/** Of the random cases that a property is tried with, each host takes its share: each draws others. */
export const onThisHost = (cases: number) => Math.ceil(cases / HOSTS)
