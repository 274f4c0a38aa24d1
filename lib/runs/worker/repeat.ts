import { log } from "@/lib/log";

/**
 * Runs `work` repeatedly, never twice at once. A failure is logged once per streak and retried after the next interval.
 */
export function repeat(name: string, intervalMs: number, work: () => Promise<void>): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let failing = false;
  let current = Promise.resolve();

  const round = async () => {
    try {
      await work();
      if (failing) log.info({ task: name }, "works again");
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ task: name, err: error }, "failed; it is tried again");
      failing = true;
    }
    if (!stopped) timer = setTimeout(next, intervalMs);
  };
  const next = () => {
    current = round();
  };
  next();

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
