import { createHmac, hkdfSync } from "node:crypto";
import { env } from "@/lib/env";

/**
 * The name under which attempts are counted. What people type there may be anything, also a password in the wrong
 * field, so it is kept as a keyed hash and nothing else.
 */
export function throttleKey(kind: string, typed: string): string {
  const key = Buffer.from(hkdfSync("sha256", env.AUTH_SECRET ?? "", "", "kimitsu/throttle/1", 32));
  return `${kind}:${createHmac("sha256", key).update(typed).digest("hex").slice(0, 32)}`;
}
