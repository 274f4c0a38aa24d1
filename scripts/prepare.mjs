/**
 * What `start` and `dev` have in common before the web process: folder, lock, database, migrations, administrator,
 * demo.
 */
import { requireConnection } from "./postgres/database.mjs";
import { dataFolderPath, ensureDataFolder, ensureSecrets } from "./postgres/data-folder.mjs";
import { takeLock } from "./process/instance-lock.mjs";
import { deployMigrations } from "./migrate.mjs";
import { startPostgres } from "./postgres/pg.mjs";
import { requireFreePort } from "./process/ports.mjs";
import { step } from "./progress.mjs";
import { setting, webAddress } from "./runtime.mjs";
import { applicationEnv, bootstrapAdmin, demoEnv, demoPort, isDemoProject, startDemo } from "./process/services.mjs";
import { supervise } from "./process/supervise.mjs";

/**
 * The folder is locked from here on. Cheap checks come first: nobody should wait for a build to learn that the port is
 * taken.
 */
export async function claimFolder(lifecycle) {
  const { host, port, url } = webAddress();
  const dataFolder = ensureDataFolder(dataFolderPath());
  const secrets = ensureSecrets(dataFolder);
  const release = takeLock(dataFolder, url);
  lifecycle.started("", async () => release(), release);
  await requireFreePort(host, port);
  return { dataFolder, secrets, url };
}

/** Returns the URL of a database with every migration applied. */
export async function prepareDatabase(lifecycle, { dataFolder, secrets, say }) {
  const external = setting("DATABASE_URL");
  const url = external ?? (await embedded(lifecycle, { dataFolder, secrets, say }));
  if (external) await step("Connecting to PostgreSQL", () => requireConnection(external));
  await step("Applying migrations", async (note) => {
    const applied = await deployMigrations(url);
    note(applied.length === 0 ? "none missing" : `${applied.length} applied`);
  });
  return url;
}

async function embedded(lifecycle, { dataFolder, secrets, say }) {
  let port;
  let pid;
  const start = async () => {
    const server = await startPostgres({ dataDir: dataFolder, secrets, port });
    ({ port, pid } = server);
    return server;
  };
  const supervised = await step("Starting the database", async (note) => {
    const keeper = await supervise({ name: "database", start, say });
    const { adopted, moved, cluster } = keeper.first;
    note(
      `${adopted ? "it was still running" : "done"}${moved ? `; kept in ${cluster}, because PostgreSQL does not run as root and no other user may enter the data folder` : ""}`,
    );
    return keeper;
  });
  // SIGQUIT ends PostgreSQL at once; it recovers at the next start.
  lifecycle.started("database", supervised.stop, () => process.kill(pid, "SIGQUIT"));
  return supervised.first.url;
}

/** Returns the environment for the web process and, if this start made the first administrator, what was made. */
export async function prepareApplication(lifecycle, { dataFolder, secrets, databaseUrl, say }) {
  const base = { dataFolder, databaseUrl, authSecret: secrets.authSecret };
  const admin = await step("Checking the first administrator", async (note) => {
    const result = await bootstrapAdmin(applicationEnv(base));
    note(result.created ? "made" : "there is one");
    return result;
  });
  if (!isDemoProject()) return { env: applicationEnv(base), admin };
  const port = await demoPort();
  let pid;
  const start = async () => {
    const child = await startDemo({ port, dataFolder });
    pid = child.pid;
    return child;
  };
  const demo = await step("Starting the demo tool server", () => supervise({ name: "demo", start, say }));
  lifecycle.started("demo tool server", demo.stop, () => process.kill(pid, "SIGKILL"));
  return { env: applicationEnv({ ...base, extra: demoEnv(port, base.dataFolder) }), admin };
}
