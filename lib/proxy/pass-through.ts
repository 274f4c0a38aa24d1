/**
 * Resources, prompts and completions of the servers behind a profile, as one client sees them: each under a name or an
 * address that says whose it is, where several servers have any.
 */
import type { ProjectProfile } from "@/lib/config/project";
import { listUpstreams, type Upstream } from "@/lib/proxy/list-upstreams";
import type { ProxyDeps } from "@/lib/proxy/proxy-deps";
import { type SharedNames, shareNames } from "@/lib/proxy/rules/shared-names";
import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";
import { askServer, type PassedMethod, readFeatures, type ServerFeatures } from "@/lib/tools/ask-server";

const PAGES_MAX = 50;
/** What a server can do is asked again after this; it changes when the server is another one. */
const FEATURES_AGE_MAX_MS = 60_000;
const FEATURES_PATIENCE_MS = 5_000;

interface KnownUpstream extends Upstream {
  name: string;
  features: ServerFeatures;
}

type Params = Record<string, unknown>;
type Result = Record<string, unknown>;

export interface PassThrough {
  features: ServerFeatures;
  /** Throws KimitsuError `not_found` for a name or an address that no server has. */
  ask(method: PassedMethod, params: Params, signal: AbortSignal): Promise<Result>;
  /** For addresses in the result of a tool of that server. */
  toClientUri(server: string, uri: string): string;
}

const known = new WeakMap<ProjectProfile, { at: number; upstreams: Promise<KnownUpstream[]> }>();

export async function openPassThrough(deps: ProxyDeps, profile: ProjectProfile): Promise<PassThrough> {
  const upstreams = await readUpstreams(deps, profile);
  const having = (feature: keyof ServerFeatures) => upstreams.filter(({ features }) => features[feature]);
  const isPrefixed = profile.definition.prefix === "always";
  const ofResources = shareNames(having("resources"), { isPrefixed });
  const ofPrompts = shareNames(having("prompts"), { isPrefixed });
  const names = { resources: ofResources, prompts: ofPrompts };
  return {
    features: {
      resources: having("resources").length > 0,
      prompts: having("prompts").length > 0,
      completions: having("completions").length > 0,
      logging: having("logging").length > 0,
    },
    toClientUri: (server, uri) => {
      const upstream = having("resources").find(({ name }) => name === server);
      return upstream ? ofResources.toUri(upstream, uri) : uri;
    },
    ask: (method, params, signal) => {
      const ask = (upstream: KnownUpstream, sent: Params) =>
        askServer(deps.pool, upstream.server, { method, params: sent, signal });
      switch (method) {
        case "resources/list":
        case "resources/templates/list":
          return listAll(having("resources"), {
            method,
            ask,
            rename: (each, item) => renameUri(ofResources, each, item),
          });
        case "prompts/list":
          return listAll(having("prompts"), {
            method,
            ask,
            rename: (each, item) => renamePrompt(ofPrompts, each, item),
          });
        case "resources/read":
          return readResource(names, params, ask);
        case "prompts/get": {
          const found = ofPrompts.fromName(String(params.name));
          return found ? ask(found.server, { ...params, name: found.name }) : refuse("prompt", params.name);
        }
        case "completion/complete":
          return complete(names, params, ask);
      }
    },
  };
}

type Ask = (upstream: KnownUpstream, params: Params) => Promise<Result>;
type Names = Record<"resources" | "prompts", SharedNames<KnownUpstream>>;

async function readResource({ resources }: Names, params: Params, ask: Ask): Promise<Result> {
  const found = resources.fromUri(String(params.uri));
  if (!found) return refuse("resource", params.uri);
  const answer = await ask(found.server, { ...params, uri: found.uri });
  const contents = Array.isArray(answer.contents) ? (answer.contents as Params[]) : null;
  return contents ? { ...answer, contents: contents.map((item) => renameUri(resources, found.server, item)) } : answer;
}

async function complete({ resources, prompts }: Names, params: Params, ask: Ask): Promise<Result> {
  const ref = (params.ref ?? {}) as { type?: unknown; name?: unknown; uri?: unknown };
  if (ref.type === "ref/prompt") {
    const found = prompts.fromName(String(ref.name));
    return found ? ask(found.server, { ...params, ref: { ...ref, name: found.name } }) : refuse("prompt", ref.name);
  }
  const found = resources.fromUri(String(ref.uri));
  return found ? ask(found.server, { ...params, ref: { ...ref, uri: found.uri } }) : refuse("resource", ref.uri);
}

function refuse(what: string, name: unknown): never {
  throw new KimitsuError("not_found", `There is no ${what} ${JSON.stringify(String(name).slice(0, 200))}.`);
}

function renameUri(names: SharedNames<KnownUpstream>, server: KnownUpstream, item: Params): Params {
  const { uri, uriTemplate } = item;
  return {
    ...item,
    ...(typeof uri === "string" && { uri: names.toUri(server, uri) }),
    ...(typeof uriTemplate === "string" && { uriTemplate: names.toUri(server, uriTemplate) }),
  };
}

const renamePrompt = (names: SharedNames<KnownUpstream>, server: KnownUpstream, item: Params): Params => ({
  ...item,
  name: names.toName(server, String(item.name)),
});

interface Listing {
  method: "resources/list" | "resources/templates/list" | "prompts/list";
  ask: Ask;
  rename: (upstream: KnownUpstream, item: Params) => Params;
}

const FIELD = {
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

/** Of all servers, in the order of the profile; one that cannot be asked is left out. */
async function listAll(upstreams: readonly KnownUpstream[], { method, ask, rename }: Listing): Promise<Result> {
  const field = FIELD[method];
  const lists = await Promise.all(
    upstreams.map(async (upstream) => {
      const items: Params[] = [];
      let cursor: unknown;
      try {
        for (let page = 1; page <= PAGES_MAX; page += 1) {
          const answer = await ask(upstream, cursor === undefined ? {} : { cursor });
          items.push(...((Array.isArray(answer[field]) ? answer[field] : []) as Params[]));
          cursor = answer.nextCursor;
          if (cursor === undefined) break;
        }
      } catch (error) {
        log.warn({ err: error, server: upstream.name, method }, "a list of a server could not be read for a client");
      }
      return items.map((item) => rename(upstream, item));
    }),
  );
  return { [field]: lists.flat() };
}

function readUpstreams(deps: ProxyDeps, profile: ProjectProfile): Promise<KnownUpstream[]> {
  const nowMs = performance.now();
  const before = known.get(profile);
  if (before && nowMs - before.at < FEATURES_AGE_MAX_MS) return before.upstreams;
  const upstreams = Promise.all(listUpstreams(deps, profile).map((upstream) => readOne(deps, upstream))).then((read) =>
    read.filter((upstream) => upstream !== null),
  );
  known.set(profile, { at: nowMs, upstreams });
  upstreams.then(
    (read) => read.length < profile.agent.servers.length && known.delete(profile),
    () => known.delete(profile),
  );
  return upstreams;
}

async function readOne(deps: ProxyDeps, upstream: Upstream): Promise<KnownUpstream | null> {
  try {
    const features = await readFeatures(deps.pool, upstream.server, AbortSignal.timeout(FEATURES_PATIENCE_MS));
    return { ...upstream, name: upstream.entry.name, features };
  } catch (error) {
    log.warn({ err: error, server: upstream.entry.name }, "a server of a profile cannot be reached");
    return null;
  }
}
