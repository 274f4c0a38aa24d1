import type { Db } from "@/lib/database/client";

/**
 * Whom a text can mean: an id itself, or people and their tokens by a part of a name or e-mail address. There are few
 * people and many events, so the name is looked up first, and the rest is found by an index on ids.
 */
export async function listNamedIds(db: Db, who: string): Promise<string[]> {
  const contains = { contains: who, mode: "insensitive" as const };
  const people = await db.user.findMany({
    where: { OR: [{ name: contains }, { email: contains }] },
    select: { id: true },
    take: 200,
  });
  const tokens = await db.apiToken.findMany({
    where: { OR: [{ name: contains }, { userId: { in: people.map(({ id }) => id) } }] },
    select: { id: true },
    take: 1000,
  });
  return [who, ...people.map(({ id }) => id), ...tokens.map(({ id }) => id)];
}
