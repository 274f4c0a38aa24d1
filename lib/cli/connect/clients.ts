/** Where each MCP client keeps its servers, in which form, and how it takes a token. Facts about the clients alone. */
import path from "node:path";

export const CLIENTS = ["claude-code", "cursor", "vscode", "codex", "gemini", "zed", "json"] as const;
export type ClientName = (typeof CLIENTS)[number];
export type Scope = "user" | "project";

/**
 * `inside`: it is written into the file, which only its owner may then read. `variable`: the file names an environment
 * variable. `asked`: the client asks for it once and keeps it in a store of its own.
 */
export type TokenPlace = "inside" | "variable" | "asked";

/** What a client's file gets: values at paths, all others stay as they are. */
export interface ClientEntry {
  format: "json" | "toml";
  values: readonly {
    path: readonly string[];
    value: unknown;
    /** Of a list: added to those with other ids. */ id?: string;
  }[];
}

export interface Placed {
  file: string | null;
  token: TokenPlace;
}

export interface Machine {
  home: string;
  folder: string;
  platform: string;
  variables: Readonly<Record<string, string | undefined>>;
}

export interface EntryFacts {
  /** The name of the server in the client's file. */
  name: string;
  url: string;
  token: string;
  variable: string;
  place: TokenPlace;
}

interface Client {
  title: string;
  place(scope: Scope, machine: Machine): Placed | { refusal: string };
  entry(facts: EntryFacts): ClientEntry;
}

const inHome =
  (user: (machine: Machine) => string, project: string) =>
  (scope: Scope, machine: Machine): Placed =>
    scope === "user"
      ? { file: user(machine), token: "inside" }
      : { file: path.join(machine.folder, project), token: "variable" };

const json = (...values: ClientEntry["values"]): ClientEntry => ({ format: "json", values });

export const CLIENT_FACTS: Readonly<Record<ClientName, Client>> = {
  "claude-code": {
    title: "Claude Code",
    place: inHome(({ home, variables }) => path.join(variables.CLAUDE_CONFIG_DIR || home, ".claude.json"), ".mcp.json"),
    entry: ({ name, url, ...facts }) =>
      json({ path: ["mcpServers", name], value: { type: "http", url, headers: bearer(facts, (v) => `\${${v}}`) } }),
  },
  cursor: {
    title: "Cursor",
    place: inHome(({ home }) => path.join(home, ".cursor", "mcp.json"), path.join(".cursor", "mcp.json")),
    entry: ({ name, url, ...facts }) =>
      json({ path: ["mcpServers", name], value: { url, headers: bearer(facts, (v) => `\${env:${v}}`) } }),
  },
  vscode: {
    title: "VS Code",
    place: (scope, machine) => ({
      file: scope === "user" ? codeFile(machine) : path.join(machine.folder, ".vscode", "mcp.json"),
      token: "asked",
    }),
    entry: ({ name, url }) => {
      const id = `${name}-token`;
      const description = `Token for the MCP server ${name}`;
      return json(
        { path: ["servers", name], value: { type: "http", url, headers: { Authorization: `Bearer \${input:${id}}` } } },
        { path: ["inputs"], value: { type: "promptString", id, description, password: true }, id },
      );
    },
  },
  codex: {
    title: "Codex",
    place: (scope, { home, folder, variables }) => ({
      file:
        scope === "user"
          ? path.join(variables.CODEX_HOME || path.join(home, ".codex"), "config.toml")
          : path.join(folder, ".codex", "config.toml"),
      // It refuses a token in its file.
      token: "variable",
    }),
    entry: ({ name, url, variable }) => ({
      format: "toml",
      values: [{ path: ["mcp_servers", name], value: { url, bearer_token_env_var: variable } }],
    }),
  },
  gemini: {
    title: "Gemini CLI",
    place: inHome(({ home }) => path.join(home, ".gemini", "settings.json"), path.join(".gemini", "settings.json")),
    entry: ({ name, url, ...facts }) =>
      json({ path: ["mcpServers", name], value: { httpUrl: url, headers: bearer(facts, (v) => `\${${v}}`) } }),
  },
  zed: {
    title: "Zed",
    place: (scope, machine) =>
      scope === "user"
        ? { file: zedFile(machine), token: "inside" }
        : {
            refusal:
              "Zed reads no environment variables in its settings, so that a token would lie in the project's folder; leave out --scope.",
          },
    entry: ({ name, url, ...facts }) =>
      json({ path: ["context_servers", name], value: { url, headers: bearer(facts, (v) => v) } }),
  },
  json: {
    title: "any client",
    place: () => ({ file: null, token: "inside" }),
    entry: ({ name, url, ...facts }) =>
      json({ path: ["mcpServers", name], value: { type: "http", url, headers: bearer(facts, (v) => v) } }),
  },
};

/** In a header, never in the address: addresses are logged. */
const bearer = (
  { place, token, variable }: Pick<EntryFacts, "place" | "token" | "variable">,
  refer: (variable: string) => string,
) => ({ Authorization: `Bearer ${place === "inside" ? token : refer(variable)}` });

function codeFile({ home, platform, variables }: Machine): string {
  const base =
    platform === "darwin"
      ? path.join(home, "Library", "Application Support")
      : platform === "win32"
        ? variables.APPDATA || path.join(home, "AppData", "Roaming")
        : variables.XDG_CONFIG_HOME || path.join(home, ".config");
  return path.join(base, "Code", "User", "mcp.json");
}

function zedFile({ home, platform, variables }: Machine): string {
  if (platform === "win32")
    return path.join(variables.APPDATA || path.join(home, "AppData", "Roaming"), "Zed", "settings.json");
  const base =
    platform === "darwin" ? path.join(home, ".config") : variables.XDG_CONFIG_HOME || path.join(home, ".config");
  return path.join(base, "zed", "settings.json");
}

/** The environment variable that holds the token of a server with this name. */
export const variableOf = (name: string): string => `${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_TOKEN`;
