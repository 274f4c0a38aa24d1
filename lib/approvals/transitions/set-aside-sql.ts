/** The rows of set-asides, as parts of a commit of the run. */
import { Prisma } from "@/lib/database/generated/client";

export interface NewSetAside {
  approvalId: string;
  userId: string;
  note: string | null;
  /** Version of the approval: a higher one brings it back. */
  version: number;
  until: Date | null;
  at: Date;
}

export const keepAside = ({
  approvalId,
  userId,
  note,
  version,
  until,
  at,
}: NewSetAside): Prisma.Sql => Prisma.sql`aside AS (
      INSERT INTO set_asides (approval_id, user_id, note, version, until, created_at)
      SELECT ${approvalId}, ${userId}, ${note}, ${version}::int, ${until}::timestamptz, ${at}::timestamptz FROM moved
      ON CONFLICT (user_id, approval_id) DO UPDATE
        SET note = excluded.note, version = excluded.version, until = excluded.until, created_at = excluded.created_at
    )`;

interface OwnAside {
  approvalId: string;
  userId: string;
  at: Date;
}

export const isAside = (aside: OwnAside): Prisma.Sql =>
  Prisma.sql`EXISTS (SELECT 1 FROM set_asides WHERE ${isOwn(aside)})`;

/** The note is kept on record. */
export const endAside = (aside: OwnAside): Prisma.Sql =>
  Prisma.sql`taken AS (UPDATE set_asides SET until = ${aside.at}::timestamptz FROM moved WHERE ${isOwn(aside)})`;

const isOwn = ({ approvalId, userId, at }: OwnAside): Prisma.Sql =>
  Prisma.sql`approval_id = ${approvalId} AND user_id = ${userId} AND (until IS NULL OR until > ${at}::timestamptz)`;
