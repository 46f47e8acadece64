/** Next calls this once when the server boots. */
export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { refuseToBootIfMisconfigured } = await import('#lib/platform/boot.ts')
    refuseToBootIfMisconfigured()
    const { openFrontDoor } = await import('#lib/platform/http/front-door.ts')
    const { methodsAt } = await import('#lib/wiring/methods-at.ts')
    openFrontDoor(methodsAt)
  }
}
