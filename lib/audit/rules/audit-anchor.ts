/**
 * An anchor hashes the heads of all chains that grew since the previous anchor, and that anchor: runs stay parallel,
 * yet everything is one chain.
 */
import { createHash } from "node:crypto";
import { type AuditKey, canonicalText, seal } from "@/lib/audit/rules/audit-event";

export interface ChainHead {
  chainId: string;
  seq: number;
  hash: string;
}

export interface Anchor {
  seq: number;
  fromTx: bigint;
  toTx: bigint;
  /** Journal rows that it covers. */
  rows: number;
  heads: ChainHead[];
  prevHash: string;
  at: Date;
}

export interface SealedAnchor {
  body: string;
  mac: string;
  hash: string;
}

export function sealAnchor(anchor: Anchor, key: AuditKey): SealedAnchor {
  const body = canonicalText({
    at: anchor.at.toISOString(),
    from_tx: String(anchor.fromTx),
    heads: anchor.heads
      .map((head) => [head.chainId, head.seq, head.hash])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    prev: anchor.prevHash,
    rows: anchor.rows,
    seq: anchor.seq,
    to_tx: String(anchor.toTx),
  });
  const mac = seal(body, key);
  return { body, mac, hash: anchorHash(body, mac) };
}

export function anchorHash(body: string, mac: string): string {
  return createHash("sha256").update(`{"body":${body},"mac":"${mac}"}`).digest("hex");
}

export function headsOf(body: string): ChainHead[] {
  const { heads } = JSON.parse(body) as { heads: [string, number, string][] };
  return heads.map(([chainId, seq, hash]) => ({ chainId, seq, hash }));
}
