/**
 * What an event is, and how text of the trail is sealed: with a key that the database never sees, so that a row written
 * by hand does not verify. Journal rows are sealed by lib/runs/journal/entry.ts, anchors by audit-anchor.ts.
 */
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import canonicalize from "canonicalize";
import type { Actor } from "@/lib/people/rules/actor";

/** The chain of events that belong to no run: people, tokens, settings, sign-ins. */
export const SYSTEM_CHAIN = "system";

export type EventData = {
  [key: string]: string | number | boolean | null | EventData | (string | number | EventData)[];
};

export interface AuditEvent {
  id: string;
  chainId: string;
  type: string;
  at: Date;
  actor: Actor;
  /** Digests and redacted values only. */
  data: EventData;
}

export interface AuditKey {
  id: string;
  secret: KeyObject;
}

export function seal(text: string, key: AuditKey): string {
  return `${key.id}:${createHmac("sha256", key.secret).update(text).digest("hex")}`;
}

export type SealCheck = "good" | "forged" | "unknown_key";

export function checkSeal(text: string, mac: string, keys: AuditKey[]): SealCheck {
  const key = keys.find((candidate) => mac.startsWith(`${candidate.id}:`));
  if (!key) return "unknown_key";
  const expected = Buffer.from(seal(text, key));
  const given = Buffer.from(mac);
  return expected.length === given.length && timingSafeEqual(expected, given) ? "good" : "forged";
}

export function canonicalText(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error("unreachable: an event that JSON cannot carry");
  return text;
}
