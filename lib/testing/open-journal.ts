import type { Db } from "@/lib/database/client";

type Opened = Parameters<Parameters<Db["$transaction"]>[0]>[0];

/**
 * Lets the work change rows of the journal by hand. The application's role owns the table, so it can grant itself the
 * right and disable the guard; the tests show that this is detected. In one transaction, so that nobody else can use
 * it, and tests that do it at the same time wait for each other.
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
