/** How the driver reports that the database is away: by a kind, by a Postgres code, or only by the message. */
const KINDS = new Set(["DatabaseNotReachable", "ConnectionClosed", "SocketTimeout", "TooManyConnections"]);
/**
 * Connection failures, servers that stop or start, too many clients, and a server that takes no writes: a standby about
 * to be promoted, or a primary set to read-only, answers 25006, and 25P02 to later statements of the same transaction.
 * 25P03 closes a session that was idle in a transaction for too long. KT001 is our own: the database was failed over,
 * and nobody has checked yet what was lost.
 */
const CODES = /^(08|57P|53300|25006|25P0[23]|KT001)/;
const WORDS =
  /connection terminated|connection error and is not queryable|timeout exceeded when trying to connect|ECONNREFUSED|ECONNRESET/i;

interface DriverFailure {
  code?: unknown;
  meta?: { driverAdapterError?: { cause?: { kind?: string; originalCode?: string } } };
  message?: string;
}

/** True when the statement may be sent again once the database is back. Whether it was executed is not known. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, meta } = error as DriverFailure;
  const { kind, originalCode } = meta?.driverAdapterError?.cause ?? {};
  return KINDS.has(kind ?? "") || CODES.test(originalCode ?? String(code ?? "")) || WORDS.test(error.message);
}
