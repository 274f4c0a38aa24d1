import { createHash, createSecretKey, hkdfSync } from "node:crypto";
import type { AuditKey } from "@/lib/audit/rules/audit-event";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";

/** Each purpose has its own key, derived from the one secret that all processes share. */
function deriveKey(secret: string): AuditKey {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "kimitsu/audit/1", 32));
  return { id: createHash("sha256").update(key).digest("hex").slice(0, 8), secret: createSecretKey(key) };
}

let keys: AuditKey[] | undefined;

/** The first one seals; the others, from AUTH_SECRET_1 to _3, only check what was sealed before a rotation. */
export function auditKeys(): [AuditKey, ...AuditKey[]] {
  if (!env.AUTH_SECRET)
    throw new KimitsuError("unavailable", "AUTH_SECRET is not set; events cannot be sealed without it.");
  keys ??= [env.AUTH_SECRET, env.AUTH_SECRET_1, env.AUTH_SECRET_2, env.AUTH_SECRET_3]
    .filter((secret): secret is string => secret !== undefined)
    .map(deriveKey);
  return keys as [AuditKey, ...AuditKey[]];
}
