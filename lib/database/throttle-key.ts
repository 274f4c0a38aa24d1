import { createHmac, hkdfSync } from "node:crypto";
import { env } from "@/lib/env";

/**
 * The key under which attempts are counted. People may type anything there, even a password in the wrong field, so only
 * a keyed hash of it is stored.
 */
export function throttleKey(kind: string, typed: string): string {
  const key = Buffer.from(hkdfSync("sha256", env.AUTH_SECRET ?? "", "", "kimitsu/throttle/1", 32));
  return `${kind}:${createHmac("sha256", key).update(typed).digest("hex").slice(0, 32)}`;
}
