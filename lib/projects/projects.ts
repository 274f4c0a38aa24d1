/**
 * The project as it is in its folder, and as it was when earlier runs began. An earlier version is extracted to the
 * data folder and read by the same loader, so that it cannot be interpreted differently the second time.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { hashContent } from "@/lib/config/build-project";
import { getProject, type LoadOptions, loadProject } from "@/lib/config/load-project";
import { isClientWorkflow } from "@/lib/config/profile-parts";
import { findVariable, type Project } from "@/lib/config/project";
import { readToolsLock } from "@/lib/config/tools-lock";
import type { LoadedProject, Projects } from "@/lib/runs/advance/run-deps";
import { KimitsuError } from "@/lib/errors";
import { createGateway } from "@/lib/models/gateway";
import { loadScripts } from "@/lib/models/load-scripts";
import type { Db } from "@/lib/database/client";
import { findProjectVersion } from "@/lib/projects/queries/find-project-version";
import type { GuardedFetch } from "@/lib/tools/egress";

export interface ProjectsOptions extends LoadOptions {
  root: string;
  dataFolder: string;
  db: Db;
  fetch: GuardedFetch;
  now: () => Date;
}

/** Throws `config_invalid` with every problem when the project in the folder cannot be used. */
export async function openProjects(options: ProjectsOptions): Promise<Projects> {
  const current = load(getProject(options.root, options), options);
  const known = new Map<string, Promise<LoadedProject>>([[current.project.hash, Promise.resolve(current)]]);
  const locked = readToolsLock(options.root);
  const lock =
    locked && Object.fromEntries(Object.entries(locked.servers).map(([name, server]) => [name, server.tools]));
  return {
    current: () => current,
    lock: () => lock,
    get: (hash) => {
      const found = known.get(hash) ?? restore(hash, options);
      known.set(hash, found);
      // A failure (such as an unavailable database) is not cached, so the next call tries again.
      found.catch(() => known.delete(hash));
      return found;
    },
  };
}

function load(project: Project, { processEnv, fetch, now }: ProjectsOptions): LoadedProject {
  // Calls of MCP clients need no model.
  const needsModel = Object.keys(project.agents).some((name) => !isClientWorkflow(name));
  if (!project.gateway && needsModel)
    throw new KimitsuError("config_invalid", "The project has no gateway.yaml, so no agent has a model.");
  const definition = project.gateway ?? NO_MODELS;
  const scripts = loadScripts(project.texts, definition);
  const gateway = createGateway({
    gateway: definition,
    scripts,
    findVariable: (entry) => findVariable(project, entry, processEnv),
    fetch,
    now,
  });
  return { project, gateway };
}

const NO_MODELS = { env: [], providers: [], model_groups: [] } satisfies Project["gateway"];

async function restore(hash: string, options: ProjectsOptions): Promise<LoadedProject> {
  const version = await findProjectVersion(options.db, hash);
  if (!version) throw new KimitsuError("config_invalid", `The project ${hash} was not kept.`);
  const folder = path.resolve(options.dataFolder, "projects", hash.replace("sha256:", ""));
  const loadOptions = { ...options, env: version.environment ?? undefined, wasChecked: true };
  // Another process may be reading it now, so files that match are left in place.
  const { project: there } = loadProject(folder, loadOptions);
  if (there && isOf(there, hash)) return load(there, options);
  rmSync(folder, { recursive: true, force: true });
  layOut(hash, folder, version.files);
  const project = getProject(folder, loadOptions);
  if (!isOf(project, hash))
    throw new KimitsuError(
      "config_invalid",
      `What was kept as the project ${hash} is another one, ${project.hash}; a run that started with it cannot go on.`,
    );
  return load(project, options);
}

/** An earlier release that hashed the files alone may have stored it. */
function isOf(project: Project, hash: string): boolean {
  return project.hash === hash || hashContent(project.fileHashes) === hash;
}

function layOut(hash: string, folder: string, files: Readonly<Record<string, string>>): void {
  const fresh = `${folder}.${process.pid}.${Date.now()}`;
  for (const [file, text] of Object.entries(files)) {
    const place = path.resolve(fresh, file);
    if (!place.startsWith(`${fresh}${path.sep}`))
      throw new KimitsuError("config_invalid", `The project ${hash} holds a path that leads out of it.`);
    mkdirSync(path.dirname(place), { recursive: true, mode: 0o700 });
    writeFileSync(place, text, { mode: 0o600 });
  }
  try {
    renameSync(fresh, folder);
  } catch (error) {
    // Another process was faster.
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    rmSync(fresh, { recursive: true, force: true });
  }
}
