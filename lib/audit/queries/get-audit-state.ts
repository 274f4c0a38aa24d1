import { z } from "zod";
import type { Db } from "@/lib/database/client";

const verificationSchema = z.object({
  ok: z.boolean(),
  verifiedAt: z.string(),
  chains: z.number(),
  events: z.number(),
  anchors: z.number(),
  lastAnchorAt: z.string().nullable(),
  findings: z.array(z.object({ row: z.string(), problem: z.string(), at: z.string() })),
  findingsTotal: z.number(),
});

export interface AuditState {
  lastAnchor: { seq: number; at: Date; hash: string } | null;
  /** What the last verification found; null when there was none. */
  verification: z.infer<typeof verificationSchema> | null;
}

export async function getAuditState(db: Db): Promise<AuditState> {
  const anchor = await db.anchor.findFirst({
    orderBy: { seq: "desc" },
    select: { seq: true, createdAt: true, hash: true },
  });
  const setting = await db.setting.findUnique({ where: { key: "audit.verification" } });
  return {
    lastAnchor: anchor && { seq: anchor.seq, at: anchor.createdAt, hash: anchor.hash },
    verification: verificationSchema.nullable().parse(setting?.value ?? null),
  };
}
