import { type NextRequest, NextResponse } from "next/server";
import type { ErrorBody } from "@/lib/http/error-response";
import { findMisplaced } from "@/lib/http/find-path";

/**
 * What the answers of pages carry: a request id, and a content security policy with a nonce of their own. Who asks the
 * API for what it does not have is told so in its own form, not with a page. Nothing is authorized here; each page
 * and route does that itself, next to what it protects.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const requestId = `req_${crypto.randomUUID().replaceAll("-", "")}`;
  const misplaced = findMisplaced(request.method, request.nextUrl.pathname);
  if (misplaced) {
    const { status, code, message, allow } = misplaced;
    const body: ErrorBody = { error: { code, message, request_id: requestId, issues: [] } };
    return NextResponse.json(body, {
      status,
      headers: {
        "x-request-id": requestId,
        "cache-control": "no-store",
        ...(status === 405 && { allow: allow.join(", ") }),
      },
    });
  }
  const policy = contentSecurityPolicy(nonce, request.nextUrl.protocol === "https:");

  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("x-request-id", requestId);
  headers.set("x-kimitsu-path", request.nextUrl.pathname + request.nextUrl.search);
  headers.set("content-security-policy", policy);

  const page = findPage(request);
  const response = page
    ? NextResponse.rewrite(page, { request: { headers } })
    : NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  response.headers.set("x-request-id", requestId);
  return response;
}

const CARD = /^\/inbox\/([^/]+)$/;

/**
 * The queue with and without a card is one page: under a segment of its own each card would make the queue anew, and
 * lose its place, what is picked and its live line. `/inbox/{card}` is the list with the card as a parameter beside all
 * others; were the others left out, as by `rewrites` in next.config.ts, the browser would take each answer for that of
 * another page, ask for it again, and load the whole document when two came at once.
 */
function findPage({ nextUrl }: NextRequest): URL | null {
  const card = CARD.exec(nextUrl.pathname)?.[1];
  if (card === undefined) return null;
  const page = nextUrl.clone();
  page.pathname = "/inbox";
  page.searchParams.set("card", decodeURIComponent(card));
  return page;
}

function contentSecurityPolicy(nonce: string, https: boolean): string {
  const development = process.env.NODE_ENV === "development";
  return [
    "default-src 'none'",
    // React's development build evaluates strings for its error overlays; production never does.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${development ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(https ? ["upgrade-insecure-requests"] : []),
  ].join("; ");
}

/** Requests that scripts/web/web-operation.mjs has marked go straight to their route handler. */
export const config = {
  matcher: [
    {
      source: "/((?!_next/static|_next/image|icon|apple-icon|manifest.webmanifest).*)",
      missing: [{ type: "header", key: "x-kimitsu-operation" }],
    },
  ],
};
