/** Encrypts what must be kept but never read in the database: AES-256-GCM under a key derived from AUTH_SECRET. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";

const IV_BYTES = 12;
const TAG_BYTES = 16;

const keyOf = (secret: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", "kimitsu/secret-box/1", 32));

export function sealSecret(text: string): Uint8Array<ArrayBuffer> {
  if (!env.AUTH_SECRET)
    throw new KimitsuError("unavailable", "AUTH_SECRET is not set; secrets cannot be kept without it.");
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyOf(env.AUTH_SECRET), iv);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return new Uint8Array(Buffer.concat([iv, cipher.getAuthTag(), body]));
}

/** Also opens what was sealed before AUTH_SECRET was rotated. */
export function openSecret(sealed: Uint8Array): string {
  for (const secret of [env.AUTH_SECRET, env.AUTH_SECRET_1, env.AUTH_SECRET_2, env.AUTH_SECRET_3]) {
    const text = secret === undefined ? null : tryOpen(Buffer.from(sealed), keyOf(secret));
    if (text !== null) return text;
  }
  throw new KimitsuError(
    "unavailable",
    "A stored secret was sealed with another AUTH_SECRET; give the old one as AUTH_SECRET_1.",
  );
}

/**
 * Null also for what is too short to have been sealed here, so that a run can be shown without what cannot be opened.
 */
function tryOpen(sealed: Buffer, key: Buffer): string | null {
  try {
    const whole = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, IV_BYTES), whole);
    decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}
