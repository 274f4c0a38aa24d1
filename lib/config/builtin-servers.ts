/** Tool servers that are part of Kimitsu. Agents refer to them by name alone; no file defines them. */
import { serverSchema, type Server } from "./server-schema";

export const BUILTIN_PREFIX = "kimitsu/";

interface Builtin {
  description: string;
  params: Record<string, { description: string; default?: unknown }>;
}

const BUILTINS: Record<string, Builtin> = {
  "kimitsu/files": {
    description: "Reads, writes, lists and deletes files below one folder",
    params: { allowed_base: { description: "Folder that nothing may leave; relative to the project folder" } },
  },
  "kimitsu/http": {
    description: "Sends HTTP requests",
    params: {
      allowed_hosts: { description: "Hosts that may be reached; any public host if empty", default: [] },
      timeout_s: { description: "Longest time of one request in seconds, 1 to 300", default: 30 },
    },
  },
  "kimitsu/shell": {
    description: "Runs commands",
    params: {
      allowed_commands: { description: "Programs that may be run" },
      blocked_commands: { description: "Programs that are refused although they are allowed", default: [] },
      working_directory: { description: "Folder in which commands run; relative to the project folder", default: "." },
      timeout_s: { description: "Longest time of one command in seconds, 1 to 300", default: 60 },
      use_shell: { description: "True: the command is given to a shell, with pipes and redirections", default: false },
    },
  },
  "kimitsu/web": {
    description: "Fetches pages and lists their links",
    params: { allowed_hosts: { description: "Hosts that may be reached; any public host if empty", default: [] } },
  },
  "kimitsu/memory": {
    description: "Remembers notes across runs",
    params: { namespace: { description: "Notes of one namespace are not seen in another", default: "default" } },
  },
};

export const BUILTIN_SERVER_NAMES: readonly string[] = Object.keys(BUILTINS);

/** Model-facing names have no slash, so `kimitsu/files` is `kimitsu-files` there; that is why such names are reserved. */
export function modelFacingName(serverName: string): string {
  return serverName.replaceAll("/", "-");
}

export function listBuiltinServers(): { name: string; definition: Server }[] {
  return Object.entries(BUILTINS).map(([name, builtin]) => {
    const parsed = serverSchema.parse({
      name: modelFacingName(name), description: builtin.description, url: "http://builtin.invalid", params: builtin.params,
    });
    return { name, definition: { ...parsed, name, url: undefined } };
  });
}
