/** A tool server as one step uses it: its definition, its resolved params, and access to its secrets. */
import { createHmac, type KeyObject } from "node:crypto";
import type { ResolvedServer } from "@/lib/config/resolve-server";
import { isSecret, listSecrets, revealSecrets, type SecretResolver } from "@/lib/config/secret-ref";
import type { Server } from "@/lib/config/server-schema";
import { createSecretMatcher, joinMatchers, type SecretMatcher } from "@/lib/text/secret-matcher";

export interface ToolServer {
  definition: Server;
  resolved: Pick<ResolvedServer, "params" | "auth" | "env">;
  /** Used only at the moment a secret is needed. */
  secrets: SecretResolver;
  /**
   * Finds secrets that the server was never given, because it may have read them elsewhere. Called for each use, so
   * that no connection keeps them.
   */
  others?: () => SecretMatcher;
}

/** With `list_auth: none`, a connection with the credential is only for calls: nothing is listed on it. */
export function isForCallsAlone({ definition, resolved }: ToolServer): boolean {
  return (
    definition.list_auth === "none" &&
    (resolved.auth !== null || Object.values(resolved.params).some(({ secret }) => secret))
  );
}

/**
 * The server as used for reading its list: if `list_auth` is `none`, without any secret, and so on its own connection.
 */
export function toListed(server: ToolServer): ToolServer {
  if (!isForCallsAlone(server)) return server;
  const params = Object.fromEntries(Object.entries(server.resolved.params).filter(([, param]) => !param.secret));
  return { ...server, resolved: { ...server.resolved, params, auth: null } };
}

/**
 * The params that the server gets. The one that goes into the header goes nowhere else, and a process gets secrets in its
 * environment alone.
 */
export function revealParams({ definition, resolved, secrets }: ToolServer): Record<string, unknown> {
  const isProcess = definition.transport === "stdio";
  const sent = Object.entries(resolved.params).filter(([, param]) => !param.headerOnly && !(isProcess && param.secret));
  return Object.fromEntries(sent.map(([name, param]) => [name, revealSecrets(param.value, secrets)]));
}

/**
 * Two uses share a connection only when everything is equal, including the credential. A keyed hash, so that it may be
 * logged.
 */
export function connectionKey(server: ToolServer, key: KeyObject): string {
  const { name, url, transport, params_transport: paramsTransport, command, args, limits, auth } = server.definition;
  const { resolved, secrets } = server;
  const params = Object.fromEntries(
    Object.entries(resolved.params).map(([name, param]) => [name, revealSecrets(param.value, secrets)]),
  );
  const identity = {
    name,
    url,
    transport,
    paramsTransport,
    command,
    args,
    limits,
    params,
    header: auth?.header ?? null,
    credential: resolved.auth?.value.reveal(secrets) ?? null,
    env: revealSecrets(resolved.env, secrets),
  };
  return createHmac("sha256", key).update(JSON.stringify(identity)).digest("hex");
}

/**
 * Finds in text every secret of the server and every other known one, for errors and results. Never throws: a secret
 * that cannot be read cannot be leaked.
 */
export function matchSecrets(server: ToolServer): SecretMatcher {
  return joinOthers(server, listValues(server));
}

/** For text that arrives line by line: also finds each line of a secret that has several. */
export function matchSecretLines(server: ToolServer): SecretMatcher {
  const values = listValues(server);
  const lines = values.flatMap((value) => value.split(/\r?\n/)).filter((line) => line.length >= SECRET_LINE_LENGTH_MIN);
  return joinOthers(server, [...values, ...lines]);
}

/** Shorter lines, such as an empty one or a bracket, occur everywhere. */
const SECRET_LINE_LENGTH_MIN = 12;

function joinOthers({ others }: ToolServer, values: readonly string[]): SecretMatcher {
  const own = createSecretMatcher(values);
  return others ? joinMatchers(own, others()) : own;
}

function listValues({ resolved, secrets }: ToolServer): string[] {
  const refs = [
    ...Object.values(resolved.params).flatMap((param) => listSecrets(param.value)),
    ...(resolved.auth ? [resolved.auth.value] : []),
    ...Object.values(resolved.env).filter(isSecret),
  ];
  return refs.flatMap((ref) => {
    try {
      const value = ref.reveal(secrets);
      return [value, value.replace(/^(bearer|basic|token) +/i, "")];
    } catch {
      return [];
    }
  });
}

export function hideSecrets(matcher: SecretMatcher, text: string): string {
  return matcher.replaceAll(text, () => "[secret]");
}
