import { PAGE_SIZE } from "@/lib/limits";
import type { Db } from "@/lib/database/client";
import { type Page, toPage } from "@/lib/database/page";
import { type Person, personSelect, toPerson } from "@/lib/people/queries/person";

/** People in the order in which they were added. */
export async function listPeople(
  db: Db,
  query: { cursor?: string; q?: string; limit?: number } = {},
): Promise<Page<Person>> {
  const limit = query.limit ?? PAGE_SIZE;
  const rows = await db.user.findMany({
    where: {
      id: query.cursor ? { gt: query.cursor } : undefined,
      OR: query.q
        ? [{ email: { contains: query.q, mode: "insensitive" } }, { name: { contains: query.q, mode: "insensitive" } }]
        : undefined,
    },
    orderBy: { id: "asc" },
    take: limit + 1,
    select: personSelect,
  });
  return toPage(rows, limit, { cursorOf: (row) => row.id, map: toPerson });
}
