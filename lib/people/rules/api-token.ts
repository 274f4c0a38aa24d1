/** API tokens: 256 random bits behind a prefix that scanners know; only the hash is kept. */
import { createHash, randomBytes } from "node:crypto";
import type { SecretMatcher } from "@/lib/text/secret-matcher";

const PREFIX = "kmt_";

export function generateToken(): string {
  return PREFIX + randomBytes(32).toString("base64url");
}

/** A plain hash is enough: 256 random bits cannot be guessed. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export function tokenHint(token: string): string {
  return token.slice(-4);
}

export function looksLikeToken(value: string): boolean {
  return /^kmt_[A-Za-z0-9_-]{43}$/.test(value);
}

/** Finds any token by its form, because only hashes of the existing ones are stored. */
export const apiTokens: SecretMatcher = {
  equals: looksLikeToken,
  replaceAll: (text, replacement) => text.replace(/kmt_[A-Za-z0-9_-]{43}/g, replacement),
};
