/** Which operations the API has at an address, so that unknown ones are answered in the API's own form. */
import type { Method } from "@/lib/http/operation";
import { OPERATIONS } from "@/lib/http/operations";

const rootOf = (path: string): string => path.split("/")[1] ?? "";

/** First segments of addresses that belong to the API alone; settings are pages too. */
const ROOTS = new Set(OPERATIONS.map(({ path }) => rootOf(path)).filter((root) => root !== "settings"));

const PATHS = OPERATIONS.map(({ method, path }) => ({
  method,
  path,
  shape: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`),
}));

/**
 * Whether the API answers this, so that only its route handler needs to see it. An address that a URL would spell
 * differently (`/runs/..`) may lead elsewhere, and does not count as one of the API's.
 */
export function isOperation(method: string, pathname: string): boolean {
  const wanted = method === "HEAD" ? "GET" : method;
  return (
    PATHS.some((known) => known.method === wanted && known.shape.test(pathname)) &&
    !pathname.endsWith("/") &&
    new URL(pathname, "http://localhost").pathname === pathname
  );
}

export interface Misplaced {
  status: 404 | 405;
  code: "not_found" | "method_not_allowed";
  message: string;
  /** The methods that are answered at this address. */
  allow: Method[];
}

/** Null for what the API answers, and for addresses that are not its own. */
export function findMisplaced(method: string, pathname: string): Misplaced | null {
  if (method === "OPTIONS" || !ROOTS.has(rootOf(pathname))) return null;
  const allow = PATHS.filter(({ shape }) => shape.test(pathname)).map((known) => known.method);
  if (allow.length === 0)
    return {
      status: 404,
      code: "not_found",
      message: `The API has nothing at ${pathname}. What it has is listed at /openapi.json.`,
      allow,
    };
  if (allow.includes((method === "HEAD" ? "GET" : method) as Method)) return null;
  return {
    status: 405,
    code: "method_not_allowed",
    message: `The API does not answer ${method} at ${pathname}, but ${allow.join(" and ")}.`,
    allow,
  };
}
