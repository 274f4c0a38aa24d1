import { Prisma } from "@/lib/store/generated/client";

/** For a WITH RECURSIVE: `tree` has each step of a run (`id`) and the step of the pipeline to which it belongs, however deep below it (`root`). */
export function stepTree(runId: string): Prisma.Sql {
  return Prisma.sql`own AS MATERIALIZED (SELECT id, parent_id FROM steps WHERE run_id = ${runId}),
    tree AS (
      SELECT id, id AS root FROM own WHERE parent_id IS NULL
      UNION ALL
      SELECT own.id, tree.root FROM own JOIN tree ON own.parent_id = tree.id
    )`;
}
