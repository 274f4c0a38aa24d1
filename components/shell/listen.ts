const RETRY_MS = 10_000;

interface Line {
  address: string;
  /** The kind of message that is heard. */
  event: string;
  hear: (data: string) => void;
}

/** Keeps a live connection open until the signal ends it. */
export function listenUntil(signal: AbortSignal, { address, event, hear }: Line): Promise<void> {
  let line: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    line = new EventSource(address);
    line.addEventListener(event, ({ data }: MessageEvent<string>) => hear(data));
    // The browser reopens a broken connection itself, and resumes after the last event; it does not reopen a refused
    // one.
    line.addEventListener("error", () => {
      if (line?.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    });
  };
  open();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      clearTimeout(retry);
      line?.close();
      resolve();
    });
  });
}
