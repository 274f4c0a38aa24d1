/**
 * The database a command works on: DATABASE_URL when it is set, otherwise the embedded one, started if it is not
 * running.
 */
import { dataFolderPath, ensureDataFolder, ensureSecrets } from "./data-folder.mjs";
import { lockHolder } from "../process/instance-lock.mjs";
import { startPostgres } from "./pg.mjs";
import { PlainError } from "../plain-error.mjs";
import { setting } from "../runtime.mjs";

const CONNECT_TIMEOUT_MS = 10_000;

/** `{ url, stop }` for a command that needs the database while it runs. `stop` ends only what nobody else uses. */
export async function openDatabase() {
  const url = setting("DATABASE_URL");
  if (!url) return connectionFor(dataFolderPath());
  await requireConnection(url);
  return { url, stop: async () => {} };
}

/**
 * The embedded database of a data folder. The last one to leave stops it, whoever started it: a running `npm start` and
 * other commands that still have connections keep it running.
 */
export async function connectionFor(dataDir) {
  const folder = ensureDataFolder(dataDir);
  const secrets = ensureSecrets(folder);
  const server = await startPostgres({ dataDir: folder, secrets });
  const stop = async () => {
    if (lockHolder(folder) || (await hasOtherClients(server.url))) return;
    await server.stop();
  };
  return { url: server.url, stop };
}

async function hasOtherClients(url) {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const { rows } = await client.query(
      "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND usename = current_user LIMIT 1",
    );
    return rows.length > 0;
  } catch {
    // A server that takes no connections serves nobody.
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Explains why DATABASE_URL does not lead to a database. Never shows the password. */
export async function requireConnection(url) {
  const parsed = parse(url);
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
    await client.query("SELECT 1");
  } catch (error) {
    throw new PlainError(`${explain(error, parsed)}\nDATABASE_URL was read as: ${shown(parsed)}`);
  } finally {
    await client.end().catch(() => {});
  }
}

function parse(url) {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed && ["postgres:", "postgresql:"].includes(parsed.protocol) && parsed.pathname.length > 1) return parsed;
  throw new PlainError(
    "DATABASE_URL is not the address of a PostgreSQL database. It must look like postgresql://user:password@host:5432/kimitsu.\n" +
      "Characters such as @ : / # in the password must be percent-encoded. Leave it unset to use the embedded database.",
  );
}

const shown = (url) => `postgresql://${url.username}${url.password ? ":…" : ""}@${url.host}${url.pathname}`;

function explain(error, url) {
  const code = error.code ?? error.errors?.[0]?.code;
  const database = decodeURIComponent(url.pathname.slice(1));
  const user = decodeURIComponent(url.username);
  if (code === "28P01" || code === "28000")
    return `PostgreSQL on ${url.host} refused the user "${user}": wrong password, or no such user.`;
  if (code === "3D000")
    return `PostgreSQL on ${url.host} has no database "${database}". Make it first: createdb -O ${user} ${database}`;
  if (code === "42501") return `The user "${user}" may not use the database "${database}" on ${url.host}.`;
  if (code === "53300")
    return `PostgreSQL on ${url.host} has no connection left. Raise its max_connections or close other clients.`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `The host ${url.hostname} of DATABASE_URL is not known.`;
  if (code === "ECONNREFUSED")
    return `Nothing listens on ${url.host}: PostgreSQL is not running there, or it uses another port.`;
  if (code === "ETIMEDOUT" || /timeout/i.test(error.message))
    return `PostgreSQL on ${url.host} did not answer within ${CONNECT_TIMEOUT_MS / 1000} seconds.`;
  return `PostgreSQL on ${url.host} cannot be used: ${error.message}`;
}
