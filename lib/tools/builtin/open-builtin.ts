/** Opens built-in tool servers: real MCP servers in this process, one for each connection, over an in-memory transport. */
import { InMemoryTransport, type McpServer } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { FILES } from "@/lib/config/builtin/files";
import { GIT } from "@/lib/config/builtin/git";
import { HTTP, WEB } from "@/lib/config/builtin/http";
import { SHELL } from "@/lib/config/builtin/shell";
import { BUILTIN_SERVERS } from "@/lib/config/builtin-servers";
import { KimitsuError } from "@/lib/errors";
import type { TransportOptions } from "@/lib/tools/open-transport";
import type { GuardedFetch } from "@/lib/tools/egress";
import { type FilesDeployment, openFilesServer } from "./files/files-server";
import { openGitServer } from "./git/git-server";
import { openHttpServer } from "./http/http-server";
import type { HttpDeployment } from "./http/send-request";
import { openShellServer, type ShellDeployment } from "./shell/shell-server";
import { openWebServer } from "./web/web-server";

/** What the deployment decides about built-in servers, whatever a project says. */
export interface BuiltinDeployment {
  files: FilesDeployment;
  http: HttpDeployment;
  shell: ShellDeployment;
}

type OpenBuiltin = NonNullable<TransportOptions["openBuiltin"]>;

/** Throws `config_invalid` for params that cannot be used, with every problem. */
export function createBuiltins(deployment: BuiltinDeployment): OpenBuiltin {
  return async ({ definition }, params, egress) => {
    const server = await openServer({ name: definition.name, params, deployment, fetch: egress.guardedFetch });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(theirs);
    return ours;
  };
}

interface Opening {
  name: string;
  params: unknown;
  deployment: BuiltinDeployment;
  fetch: GuardedFetch;
}

async function openServer({ name, params, deployment, fetch }: Opening): Promise<McpServer> {
  switch (name) {
    case "kimitsu/files":
      return openFilesServer(readParams(name, FILES.params, params), deployment.files);
    case "kimitsu/git":
      return openGitServer(readParams(name, GIT.params, params), deployment.files);
    case "kimitsu/http":
      return openHttpServer({ fetch, rules: readParams(name, HTTP.params, params), deployment: deployment.http });
    case "kimitsu/shell":
      return openShellServer(readParams(name, SHELL.params, params), { ...deployment.shell, files: deployment.files });
    case "kimitsu/web":
      return openWebServer({ fetch, rules: readParams(name, WEB.params, params), deployment: deployment.http });
    default:
      throw new KimitsuError(
        "config_invalid",
        `There is no built-in server ${name}; there are ${[...BUILTIN_SERVERS.keys()].join(", ")}.`,
      );
  }
}

/** A template may have given anything. */
function readParams<Params extends z.ZodObject>(name: string, schema: Params, params: unknown): z.output<Params> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new KimitsuError("config_invalid", `The params of ${name} cannot be used: ${problems.join("; ")}.`);
}
