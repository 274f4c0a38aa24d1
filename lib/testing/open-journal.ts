import type { Db } from "@/lib/database/client";

type Opened = Parameters<Parameters<Db["$transaction"]>[0]>[0];

/**
 * Lets the work change rows of the journal by hand. The application's role owns the table, so that it can give itself
 * the right and switch the guard off: what is shown by it is that this is noticed. In one transaction, so that it is
 * open to nobody else, and tests that do it at the same time wait for each other.
 */
export function withOpenJournal<T>(db: Pick<Db, "$transaction">, work: (tx: Opened) => Promise<T>): Promise<T> {
  return db.$transaction(async (tx) => {
    await tx.$executeRawUnsafe("ALTER TABLE journal DISABLE TRIGGER USER");
    await tx.$executeRawUnsafe("GRANT UPDATE, DELETE ON journal TO CURRENT_USER");
    const done = await work(tx);
    await tx.$executeRawUnsafe("REVOKE UPDATE, DELETE ON journal FROM CURRENT_USER");
    await tx.$executeRawUnsafe("ALTER TABLE journal ENABLE TRIGGER USER");
    return done;
  });
}
