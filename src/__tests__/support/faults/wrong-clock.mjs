// Loaded before a program whose machine's clock is to be wrong: --import .../wrong-clock.mjs?minutes=10. Durations are right.
const aheadMs = Number(new URL(import.meta.url).searchParams.get('minutes')) * 60_000
const RightDate = Date

globalThis.Date = class extends RightDate {
  constructor(...given) {
    if (given.length === 0) super(RightDate.now() + aheadMs)
    else super(...given)
  }

  static now() {
    return RightDate.now() + aheadMs
  }
}
