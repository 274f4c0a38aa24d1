"use client";

import { useEffect } from "react";
import { useRefresh } from "@/components/ui/online";

/** Several events of one moment are one refresh. */
const GATHER_MS = 250;
const AGAIN_MS = 3_000;

/**
 * Keeps the page of a run current while it continues: reads the run's own stream of events and asks for the page again
 * when one arrives. A hidden tab closes the stream and catches up when it is visible again. Without a stream, it asks
 * every few seconds.
 */
export function FollowRun({ runId, after }: { runId: string; after: number }) {
  const refreshPage = useRefresh();
  useEffect(() => {
    let seen = after;
    let stream: AbortController | null = null;
    let again: ReturnType<typeof setTimeout> | undefined;
    let gathering: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        refreshPage();
      }, GATHER_MS);
    };
    const open = async () => {
      if (document.visibilityState !== "visible") return;
      const current = (stream = new AbortController());
      const heard = (id: number) => {
        seen = Math.max(seen, id);
        refresh();
      };
      try {
        await readStream({ runId, after: seen }, current.signal, heard);
      } catch {
        // A stream that breaks is opened again below, and the refresh shows what was missed.
      }
      if (current.signal.aborted) return;
      again = setTimeout(() => {
        refresh();
        void open();
      }, AGAIN_MS);
    };
    const close = () => {
      clearTimeout(again);
      stream?.abort();
    };
    const onVisibility = () => {
      close();
      if (document.visibilityState !== "visible") return;
      refresh();
      void open();
    };
    document.addEventListener("visibilitychange", onVisibility);
    void open();
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      clearTimeout(gathering);
      close();
    };
    // The stream goes on from what it has read; a newer `after` from a refresh must not open a second one.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [runId, refreshPage]);
  return null;
}

async function readStream(
  { runId, after }: { runId: string; after: number },
  signal: AbortSignal,
  heard: (id: number) => void,
): Promise<void> {
  const response = await fetch(`/runs/${runId}/events`, {
    headers: { accept: "text/event-stream", "last-event-id": String(after) },
    signal,
  });
  if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const id = /^id: ?(\d+)/.exec(line)?.[1];
      if (id !== undefined) heard(Number(id));
    }
  }
}
