import { can, findSession } from "@/lib/auth/session";
import { inboxHub } from "./hub";

export const dynamic = "force-dynamic";

const HEARTBEAT_MS = 15_000;
/** The line ends after this, and the browser opens it anew: so a session that was ended meanwhile is noticed. */
const LINE_MS = 2 * 60_000;

/** Server-sent events for open inboxes: that something changed, and by whom. What it is, the page itself asks for. */
export async function GET(request: Request): Promise<Response> {
  const session = await findSession();
  if (!session || !can(session, "approvals:read")) return new Response(null, { status: 401 });
  const encoder = new TextEncoder();
  let leave: (() => void) | null = null;
  const timers: NodeJS.Timeout[] = [];
  const stop = () => {
    leave?.();
    timers.forEach((timer) => clearTimeout(timer));
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => {
        try {
          controller.enqueue(encoder.encode(text));
        } catch {
          stop();
        }
      };
      const end = () => {
        stop();
        try {
          controller.close();
        } catch {
          // The reader was quicker.
        }
      };
      leave = inboxHub().join(session.user.id, (event) => send(`event: change\nid: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`));
      if (leave === null) return end();
      send("retry: 2000\n\n");
      timers.push(setInterval(() => send(": still here\n\n"), HEARTBEAT_MS), setTimeout(end, LINE_MS));
      request.signal.addEventListener("abort", end);
    },
    cancel: stop,
  });
  if (leave === null) return new Response(null, { status: 429, headers: { "retry-after": "10" } });
  return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-accel-buffering": "no" } });
}
