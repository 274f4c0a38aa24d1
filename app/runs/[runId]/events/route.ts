import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { toRunEvent } from "@/app/runs/to-wire";
import type { Principal } from "@/lib/people/session/principal";
import { watchListener } from "@/lib/people/session/watch-listener";
import { engineDeps } from "@/lib/database/deps";
import { watchRun } from "@/lib/runs/watch-run";
import { KimitsuError } from "@/lib/errors";
import { listRunEvents } from "@/lib/http/schemas/runs";
import { eventStream, nothingMore, STREAM_AGE_MAX_MS, takeStream } from "@/lib/http/sse";
import { getRunHead } from "@/lib/runs/queries/get-run-head";
import { listRunEvents as readEvents } from "@/lib/runs/queries/list-run-events";

export const GET = route(listRunEvents, async ({ params: { runId }, query, principal, request }) => {
  const deps = engineDeps();
  const { completedAt } = await getRunHead(deps.db, runId);
  const isLive = request.headers.get("accept")?.includes("text/event-stream") ?? false;
  const after = isLive ? readLastEventId(request, query.cursor) : query.cursor;
  const page = await readEvents(deps.db, runId, { after, limit: isLive ? 1 : query.limit });
  if (!isLive) return { data: { items: page.items.map(toRunEvent), next_cursor: page.nextCursor } };
  if (completedAt && page.items.length === 0) return nothingMore();
  return follow({ runId, after: after ?? 0 }, callerOf(principal), request.signal);
});

/** What the browser remembers is newer than what was in the address when the stream was first opened. */
function readLastEventId(request: Request, cursor: number | undefined): number | undefined {
  const given = request.headers.get("last-event-id");
  if (given === null || given === "") return cursor;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new KimitsuError("invalid_request", "Last-Event-ID must be the id of an event of this stream: a number.", {
    issues: [{ path: "header.last-event-id", message: "is not a number" }],
  });
}

function follow(place: { runId: string; after: number }, caller: Principal, gone: AbortSignal): Response {
  const release = takeStream(caller.user.id);
  const ended = new AbortController();
  const unwatch = watchListener(engineDeps(), caller, () => ended.abort());
  const signal = AbortSignal.any([gone, ended.signal, AbortSignal.timeout(STREAM_AGE_MAX_MS)]);
  async function* events() {
    for await (const event of watchRun(engineDeps(), { ...place, signal }))
      yield { id: String(event.seq), event: event.type, data: toRunEvent(event) };
  }
  const end = () => {
    ended.abort();
    unwatch();
    release();
  };
  return eventStream(events(), { end });
}
