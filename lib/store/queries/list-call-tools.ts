import type { Db } from "@/lib/store/client";

/** Which tool each of these calls is of, by the call's id: `server.tool`. */
export async function listCallTools(db: Db, callIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const calls = await db.call.findMany({ where: { id: { in: [...new Set(callIds)] } }, select: { id: true, server: true, tool: true } });
  return new Map(calls.map(({ id, server, tool }) => [id, `${server}.${tool}`]));
}
