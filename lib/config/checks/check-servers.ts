import { BUILTIN_PREFIX } from "@/lib/config/builtin-servers";
import { isUnknown, report, type Draft, type LoadedServer } from "@/lib/config/draft";
import { suggest } from "@/lib/config/problem";
import { parseTemplates } from "@/lib/config/template";
import { checkAddress } from "./check-address";
import { checkPlainHttp } from "./check-plain-http";
import { checkLegacyReferences, checkTemplates, isLegacyReference } from "./check-templates";
import { checkUnique } from "./check-unique";

export function checkServers(draft: Draft): void {
  const servers = draft.servers.filter((server) => server.origin !== "builtin");
  checkUnique(
    draft,
    "server",
    servers.map((server) => ({ name: server.definition.name, source: server.source, at: [...server.base, "name"] })),
  );
  for (const server of servers) {
    checkName(draft, server);
    checkTransport(draft, server);
    checkAuth(draft, server);
    checkListAuth(draft, server);
    const { url, auth, params } = server.definition;
    if (url !== undefined)
      checkAddress(
        draft,
        server.source,
        [...server.base, "url"],
        url,
        "pass it through a param marked `secret: true`, and `auth`",
      );
    if (url !== undefined && (auth !== undefined || Object.values(params).some(({ secret }) => secret)))
      checkPlainHttp(draft, server.source, [...server.base, "url"], url);
    for (const { path, at } of parseTemplates(server.definition.env ?? {}, ["params"]).references) {
      checkDeclared(draft, server, [...server.base, "env", ...at], path[0] ?? "");
    }
  }
  const files = new Map(servers.map((server) => [server.file, server]));
  for (const file of files.values()) {
    checkLegacyReferences(
      draft,
      file,
      (name) =>
        `declare a param marked \`secret: true\`, let the agent pass it, and write "{{ params.${name.toLowerCase()} }}"`,
    );
    checkTemplates(draft, file, (path) => {
      const [field, ...rest] = path.slice(file.base.length === 0 ? 0 : 2);
      if (field === "auth" && rest[0] === "secret") return ["params"];
      if (field === "env") return ["params"];
      if (field === "tools" && rest[1] === "summary") return ["args"];
      return {
        roots: [],
        hint: "values in a server file are literals; only `auth.secret`, `env` and `summary` are filled in",
      };
    });
  }
}

function checkName(draft: Draft, { source, base, definition }: LoadedServer): void {
  const reserved = BUILTIN_PREFIX.slice(0, -1);
  if (definition.name !== reserved && !definition.name.startsWith(`${reserved}-`)) return;
  report(draft, source, [...base, "name"], `names that begin with "${reserved}-" are reserved for built-in servers`, {
    hint: `choose another name, such as "my-${definition.name}"`,
  });
}

function checkTransport(draft: Draft, { source, base, definition }: LoadedServer): void {
  const { transport, url, command } = definition;
  const at = (field: string) => [...base, field];
  if (transport !== "stdio") {
    if (url === undefined && !isUnknown(draft, source.file, ...at("url")))
      report(draft, source, base, 'the field "url" is missing', {
        hint: "give the address of the MCP server, such as https://mcp.internal/wiki",
      });
    for (const field of ["command", "args", "env", "limits"] as const) {
      if (definition[field] !== undefined)
        report(draft, source, at(field), `"${field}" belongs to \`transport: stdio\``, {
          hint: "remove it, or set the transport",
          part: "key",
        });
    }
    return;
  }
  if (!draft.deployment.allowStdio) {
    report(draft, source, at("transport"), "this deployment does not allow tool servers as processes (stdio)", {
      hint: "offer the server over HTTP, or set KIMITSU_ALLOW_STDIO=1 where Kimitsu runs",
    });
  }
  if (command === undefined && !isUnknown(draft, source.file, ...at("command")))
    report(draft, source, base, 'the field "command" is missing', {
      hint: "with `transport: stdio` it names the program to start",
    });
  if (url !== undefined)
    report(draft, source, at("url"), '"url" has no meaning with `transport: stdio`', {
      hint: "remove it",
      part: "key",
    });
  checkSecretParams(draft, { source, base, definition });
  if (definition.auth !== undefined)
    report(draft, source, at("auth"), '"auth" has no meaning with `transport: stdio`', {
      hint: "pass the secret in `env`",
      part: "key",
    });
}

/** A process gets secrets in its environment alone, so that one which `env` does not use would never reach it. */
function checkSecretParams(
  draft: Draft,
  { source, base, definition }: Pick<LoadedServer, "source" | "base" | "definition">,
) {
  const used = new Set(parseTemplates(definition.env ?? {}, ["params"]).references.map(({ path }) => path[0]));
  for (const [name, { secret }] of Object.entries(definition.params)) {
    if (!secret || used.has(name) || isUnknown(draft, source.file, ...base, "env")) continue;
    report(draft, source, [...base, "params", name], `the secret param "${name}" never reaches the program`, {
      hint: `pass it in \`env\`: NAME: "{{ params.${name} }}"`,
      part: "key",
    });
  }
}

function checkAuth(draft: Draft, server: LoadedServer): void {
  const { source, base, definition, origin } = server;
  if (definition.auth === undefined) return;
  const at = [...base, "auth", "secret"];
  const { secret } = definition.auth;
  const { references } = parseTemplates(secret, ["params"]);
  for (const { path } of references) checkDeclared(draft, server, at, path[0] ?? "");
  if (references.length > 0 || secret.includes("{{") || isLegacyReference(secret)) return;
  const isLiteral = /^`[^`]+`$/.test(secret) || origin === "marketplace";
  if (!isLiteral) {
    report(draft, source, at, "expected a reference to a secret param, or a literal in backticks", {
      hint: 'write "{{ params.NAME }}" and mark the param `secret: true`',
    });
    return;
  }
  report(
    draft,
    source,
    at,
    "the secret itself stands in the file, where everyone who reads the repository can see it",
    {
      severity: "warning",
      hint: 'pass it through a param: "{{ params.NAME }}"',
    },
  );
}

function checkListAuth(draft: Draft, { source, base, definition }: LoadedServer): void {
  if (definition.list_auth !== "none") return;
  const at = [...base, "list_auth"];
  if (definition.transport === "stdio") {
    report(draft, source, at, "a process (stdio) gets its secrets when it is started, before it lists anything", {
      hint: "remove `list_auth`, or offer the server over HTTP",
    });
  } else if (definition.auth === undefined && !Object.values(definition.params).some(({ secret }) => secret)) {
    report(draft, source, at, "the server has no credential that could be left out", {
      hint: "remove `list_auth`, or add `auth`",
    });
  }
}

function checkDeclared(
  draft: Draft,
  { source, base, definition }: LoadedServer,
  at: readonly (string | number)[],
  name: string,
): void {
  if (Object.hasOwn(definition.params, name) || isUnknown(draft, source.file, ...base, "params", name)) return;
  const known = Object.keys(definition.params);
  report(draft, source, at, `the server declares no param ${JSON.stringify(name)}`, {
    hint: suggest(name, known, "declared") ?? `add it under \`params\``,
  });
}
