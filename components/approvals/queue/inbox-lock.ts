/**
 * Held by every window that shows an inbox. Desktop notifications are silent while one does: the inbox is on the
 * screen.
 */
export const INBOX_SHOWN = "kimitsu-inbox-shown";

/** Holds the lock until the signal ends it. Browsers without locks notify once too often, which is the lesser evil. */
export function holdInboxLock(signal: AbortSignal): void {
  void navigator.locks
    ?.request(
      INBOX_SHOWN,
      { mode: "shared" },
      () =>
        new Promise<void>((resolve) =>
          signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve()),
        ),
    )
    .catch(() => undefined);
}

export async function isInboxShown(): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === INBOX_SHOWN);
}
