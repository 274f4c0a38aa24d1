import { can, type Session } from "@/lib/people/session/principal";
import { readSession } from "@/lib/people/session/read-session";
import { watchListener } from "@/lib/people/session/watch-listener";
import { engineDeps } from "@/lib/database/deps";
import { announces } from "@/lib/notices/announces";
import { KimitsuError } from "@/lib/errors";
import { errorResponse } from "@/lib/http/error-response";
import { takeStream } from "@/lib/http/sse";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";
import { findWaiting } from "@/lib/approvals/queries/find-waiting";
import { countPending } from "@/lib/approvals/queries/inbox-counts";
import { eventIdAt, type LiveEvent } from "@/lib/approvals/queries/list-live-events";
import { countNeeds, type NeedCounts } from "@/lib/runs/queries/needs";
import { needsOf } from "../../needs-of";
import { findCurrentProject } from "../../workflows/current-project";
import { inboxHub, type Listener } from "./hub";

export const dynamic = "force-dynamic";

const HEARTBEAT_MS = 15_000;
/** The live connection ends after this, and the browser reopens it with what its person may see by then. */
const LINE_MS = 2 * 60_000;
/**
 * Messages that may queue for a reader that does not read; then the connection is cut, and a live browser reopens it.
 */
const BACKLOG_MAX = 1_000;

type Send = (text: string) => void;

/**
 * Server-sent events for open pages. An inbox gets that something changed, by whom, and who views what; the page itself
 * asks for the content. `?for=notices` is the connection of desktop notifications: calls that begin to wait for this
 * person. `?for=count` is that of all other pages: how many calls wait, and how many runs need this person outside the
 * inbox.
 */
export async function GET(request: Request): Promise<Response> {
  const requestId = request.headers.get("x-request-id") ?? createId("request");
  try {
    const session = await readSession(request.headers);
    if (!session || !can(session, "approvals:read"))
      throw new KimitsuError("unauthorized", "Sign in as someone who may see approvals.");
    return openLine(request, session, takeStream(session.user.id));
  } catch (error) {
    return errorResponse(error, requestId);
  }
}

/** `release` frees the connection's slot, whichever side ends it. */
function openLine(request: Request, session: Session, release: () => void): Response {
  const asked = new URL(request.url).searchParams;
  const purpose = asked.get("for");
  const after = request.headers.get("last-event-id") ?? asked.get("after") ?? undefined;
  const encoder = new TextEncoder();
  let leave: (() => void) | undefined;
  let unwatch: (() => void) | undefined;
  const timers: NodeJS.Timeout[] = [];
  const stop = () => {
    leave?.();
    unwatch?.();
    release();
    timers.forEach((timer) => clearTimeout(timer));
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send: Send = (text) => {
        if ((controller.desiredSize ?? 0) < -BACKLOG_MAX) {
          stop();
          return controller.error(new Error("the reader of a live line does not read"));
        }
        try {
          controller.enqueue(encoder.encode(text));
        } catch {
          stop();
        }
      };
      const end = () => {
        send("event: again\ndata: {}\n\n");
        stop();
        try {
          controller.close();
        } catch {
          // The reader closed first.
        }
      };
      leave = inboxHub().join({
        after,
        ...(purpose === "notices"
          ? noticesTo(send, session)
          : purpose === "count"
            ? countsTo(send, session)
            : changesTo(send, session)),
      });
      send(`retry: 2000\n${mark()}`);
      timers.push(
        setInterval(() => send(mark()), HEARTBEAT_MS),
        setTimeout(end, LINE_MS),
      );
      request.signal.addEventListener("abort", end);
      unwatch = watchListener(engineDeps(), session, end);
    },
    cancel: stop,
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
}

/** A heartbeat, with the position to resume from after a break. */
const mark = (): string => `id: ${eventIdAt(engineDeps().now())}\n\n`;

/** Serialised once for all open inboxes, and sent to each as one piece: under load there are many of both. */
const written = new WeakMap<readonly LiveEvent[], string>();

function writeChanges(events: readonly LiveEvent[]): string {
  const text =
    written.get(events) ??
    events.map((event) => `event: change\nid: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  written.set(events, text);
  return text;
}

function changesTo(send: Send, session: Session): Omit<Listener, "after"> {
  return {
    onEvents: (events) => send(writeChanges(events)),
    onBehind: () => send("event: behind\ndata: {}\n\n"),
    onViewers: (viewers) =>
      send(`event: viewers\ndata: ${JSON.stringify(viewers.filter(({ userId }) => userId !== session.user.id))}\n\n`),
  };
}

interface Counted {
  waiting: number;
  needs: NeedCounts;
}

/** Counted once for all listeners of the same events. */
const counted = new WeakMap<readonly LiveEvent[], Promise<Counted>>();

function countAfter(events: readonly LiveEvent[]): Promise<Counted> {
  const counts = counted.get(events) ?? countAll();
  counted.set(events, counts);
  return counts;
}

async function countAll(): Promise<Counted> {
  const { db } = engineDeps();
  const [waiting, needs] = await Promise.all([countPending(db), countNeeds(db)]);
  return { waiting, needs };
}

/**
 * The current numbers, which a reader who was away has missed, and then each that differs from the one before, in
 * order.
 */
function countsTo(send: Send, session: Session): Pick<Listener, "onEvents"> {
  let sent: string | undefined;
  let turn: Promise<void> = Promise.resolve();
  const onEvents = (events: readonly LiveEvent[]) => {
    turn = Promise.all([countAfter(events), turn])
      .then(([{ waiting, needs }]) => {
        const text = JSON.stringify({ waiting, needs: needsOf(session, needs) });
        if (text !== sent) send(`event: count\ndata: ${text}\n\n`);
        sent = text;
      })
      .catch((error: unknown) => log.warn({ err: error }, "the numbers of what waits for people could not be told"));
  };
  onEvents([]);
  return { onEvents };
}

function noticesTo(send: Send, session: Session): Pick<Listener, "onEvents"> {
  const sendOne = (event: LiveEvent) =>
    sendIfTheirs(send, session, event).catch((error: unknown) =>
      log.warn({ err: error }, "a desktop notification could not be sent"),
    );
  return { onEvents: (events) => events.forEach((event) => void sendOne(event)) };
}

async function sendIfTheirs(send: Send, { user }: Session, event: LiveEvent): Promise<void> {
  const policy = findCurrentProject()?.policy;
  if (event.approvalId === null || !announces(policy, event.type, [])) return;
  const call = await findWaiting(
    engineDeps().db,
    { userId: user.id, role: user.role, groups: user.groups },
    event.approvalId,
  );
  if (!call || !announces(policy, event.type, call.approvers)) return;
  const { id, tool, workflow, danger } = call;
  send(`event: waiting\nid: ${event.id}\ndata: ${JSON.stringify({ id, tool, workflow, danger })}\n\n`);
}
