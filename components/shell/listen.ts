const RETRY_MS = 10_000;

interface Line {
  address: string;
  /** The kind of message that is heard. */
  event: string;
  hear: (data: string) => void;
}

/** Keeps a line of server-sent events open until the signal ends it. */
export function listenUntil(signal: AbortSignal, { address, event, hear }: Line): Promise<void> {
  let line: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    line = new EventSource(address);
    line.addEventListener(event, ({ data }: MessageEvent<string>) => hear(data));
    // A broken line is opened by the browser itself, and goes on after the last thing it heard; one that was refused is
    // not.
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
