/** The tool servers that are part of Kimitsu, by name, and how their names are written elsewhere. */
import type { BuiltinServer } from "./builtin/declare-builtin";
import { FILES } from "./builtin/files";
import { GIT } from "./builtin/git";
import { HTTP, WEB } from "./builtin/http";
import { SHELL } from "./builtin/shell";

export const BUILTIN_PREFIX = "kimitsu/";

const ALL: readonly BuiltinServer[] = [FILES, HTTP, WEB, SHELL, GIT];

export const BUILTIN_SERVERS: ReadonlyMap<string, BuiltinServer> = new Map(
  ALL.map((server) => [server.definition.name, server]),
);

/**
 * Model-facing names have no slash, so `kimitsu/files` is `kimitsu-files` there; that is why such names are reserved.
 */
export function modelFacingName(serverName: string): string {
  return serverName.replaceAll("/", "-");
}
