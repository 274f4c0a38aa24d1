import { NOTICE_TIMEOUT_MS } from "@/lib/limits";
import type { NoticeDeps } from "@/lib/notices/notice-deps";
import { SendFailure } from "@/lib/notices/send-failure";
import { EgressRefused } from "@/lib/tools/egress";

/** Statuses that mean "later": a timeout, too early, too many. */
const PASSING = new Set([408, 425, 429]);

/** Throws SendFailure unless the other side accepted it. */
export async function post(
  { fetch }: Pick<NoticeDeps, "fetch">,
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<void> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new SendFailure("Its `url` is not an address that begins with https:// or http://.", false);
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
    signal: AbortSignal.timeout(NOTICE_TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new SendFailure(describe(error as Error), !(error instanceof EgressRefused));
  });
  // The body is not needed here, and may be endless.
  await response.body?.cancel();
  if (response.ok) return;
  const retryAfterS = Number(response.headers.get("retry-after"));
  throw new SendFailure(
    `It answered ${response.status}.`,
    response.status >= 500 || PASSING.has(response.status),
    Number.isFinite(retryAfterS) ? retryAfterS * 1000 : 0,
  );
}

function describe(error: Error): string {
  if (error instanceof EgressRefused) return error.message;
  if (error.name === "TimeoutError") return `No answer within ${NOTICE_TIMEOUT_MS / 1000} s.`;
  return `It cannot be reached (${(error as { code?: string }).code ?? (error.cause as { code?: string } | undefined)?.code ?? error.message}).`;
}
