/** How a database that went away is told by the driver: by a kind, by a code of Postgres, or only by words. */
const KINDS = new Set(["DatabaseNotReachable", "ConnectionClosed", "SocketTimeout", "TooManyConnections"]);
/** Connection failures, servers that stop or start, and too many clients. */
const CODES = /^(08|57P|53300)/;
const WORDS = /connection terminated|timeout exceeded when trying to connect|ECONNREFUSED|ECONNRESET/i;

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
