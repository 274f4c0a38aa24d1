import type { z } from "zod";
import type { trailEventSchema } from "@/lib/http/schemas/audit-log";
import type { TrailEvent, TrailFilter } from "@/lib/audit/queries/list-events";

export function toFilter(query: {
  chain?: string;
  type?: string;
  actor?: string;
  from?: string;
  to?: string;
}): TrailFilter {
  return {
    chainId: query.chain,
    type: query.type,
    actor: query.actor,
    from: query.from ? new Date(query.from) : undefined,
    to: query.to ? new Date(query.to) : undefined,
  };
}

export function toWire(event: TrailEvent): z.input<typeof trailEventSchema> {
  const { id, chainId, seq, type, at, actor, body, hash } = event;
  return { id, chain_id: chainId, seq, type, at: at.toISOString(), actor, body, hash };
}
