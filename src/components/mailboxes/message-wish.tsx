/** Whether the test goes on to a message, to the person who asks and to no other. */
export function MessageWish({
  email,
  isWished,
  onWish,
}: {
  email: string
  isWished: boolean
  onWish: (is: boolean) => void
}) {
  return (
    <label className="flex items-start gap-2.5 text-sm">
      <input
        type="checkbox"
        checked={isWished}
        onChange={(event) => onWish(event.target.checked)}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <span>
        Send a message to me at <span className="wrap-anywhere font-medium">{email}</span>
        <span className="block text-[0.8125rem] text-muted">
          It shows that the server takes mail from this address. It counts for no limit.
        </span>
      </span>
    </label>
  )
}
