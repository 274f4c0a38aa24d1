/** How a database that went away is told by the driver: by a kind, by a code of Postgres, or only by words. */
const KINDS = new Set(["DatabaseNotReachable", "ConnectionClosed", "SocketTimeout", "TooManyConnections"]);
/**
 * Connection failures, servers that stop or start, too many clients, and one that takes no writes: a standby that is
 * about to be promoted, or a primary that was told to rest, answers 25006, and 25P02 to what comes after it in the same
 * transaction. 25P03 is for one that did nothing in a transaction for too long, which is closed. KT001 is our own: it was failed over, and nobody has looked yet at what was lost.
 */
const CODES = /^(08|57P|53300|25006|25P0[23]|KT001)/;
const WORDS =
  /connection terminated|connection error and is not queryable|timeout exceeded when trying to connect|ECONNREFUSED|ECONNRESET/i;

interface DriverFailure {
  code?: unknown;
  meta?: { driverAdapterError?: { cause?: { kind?: string; originalCode?: string } } };
  message?: string;
}

/** True when the statement may be sent again once the database is back. Whether it was carried out is not known. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, meta } = error as DriverFailure;
  const { kind, originalCode } = meta?.driverAdapterError?.cause ?? {};
  return KINDS.has(kind ?? "") || CODES.test(originalCode ?? String(code ?? "")) || WORDS.test(error.message);
}
