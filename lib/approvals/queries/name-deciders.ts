import type { ApprovalStatus } from "@/lib/approvals/rules/approval-state";
import type { Db } from "@/lib/database/client";

interface Decided {
  status: ApprovalStatus;
  /** Who has decided it, in order. */
  deciders: string[];
}

/** Everyone whose decision led to the outcome, in order: all who approved it, or the one who rejected it. */
export async function nameDeciders(db: Db, rows: readonly Decided[]): Promise<(row: Decided) => string[]> {
  const ids = [...new Set(rows.flatMap(decidersOf))];
  const people =
    ids.length === 0 ? [] : await db.user.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  const names = new Map(people.map(({ id, name }) => [id, name]));
  return (row) => decidersOf(row).flatMap((id) => names.get(id) ?? []);
}

function decidersOf({ status, deciders }: Decided): string[] {
  if (status === "approved") return deciders;
  return status === "rejected" ? deciders.slice(-1) : [];
}
