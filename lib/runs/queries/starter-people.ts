import type { Db } from "@/lib/database/client";

interface Started {
  startedByKind: string;
  startedByName: string;
  startedByUserId: string | null;
}

/**
 * The person behind each token or agent that started something; null where a person did it themselves, or none is on
 * record.
 */
export async function findStarters(db: Db, runs: readonly Started[]): Promise<(run: Started) => string | null> {
  const ids = [
    ...new Set(
      runs.flatMap((run) =>
        run.startedByKind !== "user" && run.startedByUserId !== null ? [run.startedByUserId] : [],
      ),
    ),
  ];
  const people =
    ids.length === 0 ? [] : await db.user.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  const names = new Map(people.map(({ id, name }) => [id, name]));
  return (run) =>
    run.startedByKind === "user" || run.startedByUserId === null ? null : (names.get(run.startedByUserId) ?? null);
}

/** "Jonas Weber, by token runs": a token's name alone could be mistaken for a person. */
export function describeStarter({ startedByKind, startedByName }: Started, person: string | null): string {
  return person === null ? startedByName : `${person}, by ${startedByKind} ${startedByName}`;
}
