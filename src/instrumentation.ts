/** Next calls this once when the server boots. */
export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { refuseToBootIfMisconfigured } = await import('#lib/platform/boot.ts')
    refuseToBootIfMisconfigured()
  }
}
