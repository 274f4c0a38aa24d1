import { EXPORT_RETRY_AFTER_S, EXPORTS_PER_PERSON_MAX } from "@/lib/limits";
import { refusalBy } from "@/lib/telemetry/record-refusal";

export interface ExportedFile {
  contentType: string;
  fileName: string;
  userId: string;
  request: Request;
}

/**
 * A file that is generated while it is read: the next piece is made when the reader has taken the last one, so its
 * length costs no memory. It counts against its person's exports until it has ended in any way. Throws `rate_limited`
 * past the limit.
 */
export function streamLines(
  lines: AsyncGenerator<string>,
  { contentType, fileName, userId, request }: ExportedFile,
): Response {
  const headers = {
    "content-type": contentType,
    "content-disposition": `attachment; filename="${fileName}"`,
    "cache-control": "no-store",
  };
  // Nobody reads the body of a HEAD, and nothing would signal that it is unread.
  if (request.method === "HEAD") return new Response(null, { headers });
  const release = takeExport(userId);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await lines.next();
        if (!done) return controller.enqueue(encoder.encode(value));
        controller.close();
        release();
      } catch (error) {
        release();
        throw error;
      }
    },
    cancel() {
      release();
      void lines.return(undefined);
    },
  });
  return new Response(body, { headers });
}

// One count for all bundles of the process.
const kept = globalThis as typeof globalThis & { __kimitsuExports?: Map<string, number> };
const open = (): Map<string, number> => (kept.__kimitsuExports ??= new Map());

function takeExport(userId: string): () => void {
  const own = open().get(userId) ?? 0;
  if (own >= EXPORTS_PER_PERSON_MAX) {
    throw refusalBy(
      "exports_per_person",
      `You have ${own} exports under way, which is the most for one person: let one end. Try again in ${EXPORT_RETRY_AFTER_S} s.`,
      { retryAfterS: EXPORT_RETRY_AFTER_S },
    );
  }
  open().set(userId, own + 1);
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    const left = (open().get(userId) ?? 1) - 1;
    if (left > 0) open().set(userId, left);
    else open().delete(userId);
  };
}
