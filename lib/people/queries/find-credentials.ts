import type { Db } from "@/lib/database/client";

export interface Credentials {
  id: string;
  name: string;
  passwordHash: string | null;
  sessionVersion: number;
  disabled: boolean;
}

export async function findCredentials(db: Db, email: string): Promise<Credentials | null> {
  const row = await db.user.findUnique({
    where: { email },
    select: { id: true, name: true, passwordHash: true, sessionVersion: true, disabledAt: true },
  });
  return (
    row && {
      id: row.id,
      name: row.name,
      passwordHash: row.passwordHash,
      sessionVersion: row.sessionVersion,
      disabled: row.disabledAt !== null,
    }
  );
}

/** The person linked to an account of a sign-in provider. */
export async function findByAccount(db: Db, provider: string, accountId: string): Promise<Credentials | null> {
  const row = await db.account.findUnique({
    where: { provider_providerAccountId: { provider, providerAccountId: accountId } },
    select: { user: { select: { email: true } } },
  });
  return row && findCredentials(db, row.user.email);
}
