/** The folder that a files server is confined to, and what of it may not be changed or not be seen. */
import { lstat, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isSystemFolder } from "@/lib/config/builtin/files";
import { KimitsuError } from "@/lib/errors";

export interface FilesDeployment {
  /** Relative paths of params begin here; its definitions can be read and not written. */
  projectFolder: string;
  /** Holds the secrets of this installation; neither read nor written. */
  dataFolder: string;
  /** All folders must lie in it; null: anywhere. From KIMITSU_FILES_BASE. */
  confinedTo: string | null;
}

export interface Base {
  /** Its real path. */
  real: string;
  /** As it is written, and as it really is: with what absolute paths in a call may begin. */
  spellings: string[];
  /** Real paths, each with everything below it. */
  readOnly: string[];
  hidden: string[];
  /** The project's own folder, wherever it is. */
  project: string;
}

/** What a project is made of: an agent that could write it could write its own permissions. */
const PROJECT_PARTS = (
  "gateway.yaml servers.yaml policy.yaml tools.lock.yaml " +
  "workflows agents servers environments profiles models directives scripts knowledge"
).split(" ");

interface BaseParams {
  allowed_base: string;
  read_only_paths: readonly string[];
}

/** Throws `config_invalid` for a base that is not there, belongs to the system, or that the deployment does not allow. */
export async function openBase(params: BaseParams, deployment: FilesDeployment): Promise<Base> {
  const project = await realOf(path.resolve(deployment.projectFolder));
  const given = path.resolve(deployment.projectFolder, params.allowed_base);
  const real = await realpath(given).catch(() => refuseBase(given, "there is no such folder"));
  if (!(await stat(real)).isDirectory()) refuseBase(given, "it is not a folder");
  if (isSystemFolder(real)) refuseBase(given, "it belongs to the system");
  const hidden = [await realOf(path.resolve(deployment.dataFolder))];
  if (hidden.some((each) => isIn(each, real))) refuseBase(given, "it holds the secrets of this installation");
  if (deployment.confinedTo !== null && !isIn(await realOf(path.resolve(deployment.confinedTo)), real))
    refuseBase(given, `this deployment allows only folders in ${deployment.confinedTo} (KIMITSU_FILES_BASE)`);
  const readOnly = await Promise.all(
    params.read_only_paths.map((each) => readOnlyPath(each, deployment.projectFolder, { given, real })),
  );
  return {
    real,
    spellings: [...new Set([given, real])],
    readOnly: [...readOnly.flat(), ...PROJECT_PARTS.map((part) => path.join(project, part))],
    hidden,
    project,
  };
}

async function readOnlyPath(
  value: string,
  projectFolder: string,
  { given, real }: { given: string; real: string },
): Promise<string[]> {
  const absolute = path.resolve(projectFolder, value);
  const below = [given, real].find((base) => isIn(base, absolute));
  if (below === undefined)
    throw new KimitsuError(
      "config_invalid",
      `The read-only path ${absolute} is not in ${given}, so it protects nothing; name one in it.`,
    );
  // The name itself is protected too: where it is a link, it must not be replaced by a file.
  return [path.join(real, path.relative(below, absolute)), await realOf(absolute)];
}

function refuseBase(base: string, reason: string): never {
  throw new KimitsuError(
    "config_invalid",
    `The folder ${base} cannot be the allowed_base of kimitsu/files: ${reason}.`,
  );
}

/** Of what does not exist, the real path of the nearest folder that does, with the rest behind it. */
async function realOf(absolute: string): Promise<string> {
  const real = await realpath(absolute).catch(() => null);
  if (real !== null || absolute === path.dirname(absolute)) return real ?? absolute;
  return path.join(await realOf(path.dirname(absolute)), path.basename(absolute));
}

/** Both absolute and without links. */
export const isIn = (folder: string, candidate: string): boolean =>
  candidate === folder || candidate.startsWith(folder === "/" ? "/" : `${folder}/`);

/**
 * What is protected, as the file system knows it: on one that ignores case or Unicode forms, another spelling of a name
 * is the same file.
 */
export async function identify(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(paths.map((each) => lstat(each, { bigint: true }).catch(() => null)));
  return new Set(found.flatMap((stats) => (stats ? [identityOf(stats)] : [])));
}

export const identityOf = ({ dev, ino }: { dev: bigint; ino: bigint }): string => `${dev}:${ino}`;
