import { type Finding, messageOf, ok, problem, warning } from "@/lib/cli/doctor/finding";
import { resolveAlone } from "@/lib/tools/registry/resolve-alone";
import { listAgents, listWorkflows } from "@/lib/config/list-definitions";
import type { LoadOptions } from "@/lib/config/load-project";
import { loadProject } from "@/lib/config/load-project";
import { formatProblem } from "@/lib/config/problem";
import { findVariable, type Project, type ProjectServer } from "@/lib/config/project";
import { readToolsLock } from "@/lib/config/tools-lock";
import { verifyMailServer } from "@/lib/notices/send-mail";
import { env } from "@/lib/env";
import { createGateway } from "@/lib/models/gateway";
import { loadScripts } from "@/lib/models/load-scripts";
import { fillProviderConfig } from "@/lib/models/provider-config";
import { diffLocks, lockServer } from "@/lib/tools/lock-tools";
import { createEgress } from "@/lib/tools/egress";
import { builtinsByEnv } from "@/lib/tools/builtin/builtins-by-env";
import { createBuiltins } from "@/lib/tools/builtin/open-builtin";
import { createToolPool, type ToolPool } from "@/lib/tools/tool-pool";

export interface ProjectCheck {
  root: string;
  /** The folder as the person would type it. */
  shown: string;
  load: LoadOptions;
  allowHosts: readonly string[];
  allowStdio: boolean;
  /** Asks each model group a question, which costs a little. */
  askModels: boolean;
}

const ASK_TIMEOUT_MS = 30_000;
const LIST_TIMEOUT_MS = 15_000;

/** The files, then what they name: variables, tool servers, models. */
export async function checkProject(check: ProjectCheck): Promise<Finding[]> {
  const { project, problems } = loadProject(check.root, check.load);
  const files = problems.map((each) =>
    (each.severity === "error" ? problem : warning)(
      "configuration",
      formatProblem(each, check.shown),
      "kimitsu validate lists everything",
    ),
  );
  if (!project) return files;
  const head =
    files.length === 0
      ? [
          ok(
            "configuration",
            `${listWorkflows(project).length} workflows, ${listAgents(project).length} agents, ${Object.keys(project.profiles).length} profiles, ${project.hash.slice(0, 19)}…`,
          ),
        ]
      : files;
  return [
    ...head,
    ...checkVariables(project, check),
    ...(await checkServers(project, check)),
    ...(await checkModels(project, check)),
    ...(await checkMail(project)),
  ];
}

function checkVariables(project: Project, { load }: ProjectCheck): Finding[] {
  const declared = [
    ...listWorkflows(project).map(({ name, definition }) => ({ where: `workflow ${name}`, env: definition.env })),
    ...Object.values(project.profiles).map(({ name, definition }) => ({
      where: `profile ${name}`,
      env: definition.env,
    })),
    { where: "policy.yaml", env: project.policy?.env ?? [] },
  ];
  return declared.flatMap(({ where, env }) =>
    env
      .filter((entry) => findVariable(project, entry, load.processEnv) === null)
      .map((entry) =>
        problem(
          "variables",
          `${where}: ${entry.name} is set nowhere`,
          `Set ${entry.name} where Kimitsu runs, or in environments/*.env.yaml and choose it with KIMITSU_ENV.`,
        ),
      ),
  );
}

/** Only where a channel needs it. Signs in and sends nothing. */
async function checkMail(project: Project): Promise<Finding[]> {
  if (!project.policy?.channels.some(({ type }) => type === "email")) return [];
  if (env.KIMITSU_SMTP_URL === undefined)
    return [
      problem(
        "mail server",
        "policy.yaml has a channel of type email, and there is no mail server",
        "Set KIMITSU_SMTP_URL, such as smtp://user:password@mail.example.com:587.",
      ),
    ];
  const { hostname } = new URL(env.KIMITSU_SMTP_URL);
  return verifyMailServer(env.KIMITSU_SMTP_URL).then(
    () => [ok("mail server", `${hostname} takes mail from here`)],
    (error: unknown) => [
      problem(
        "mail server",
        `${hostname}: ${messageOf(error)}`,
        "Look at the host, the port, the user and the password in KIMITSU_SMTP_URL.",
      ),
    ],
  );
}

async function checkServers(project: Project, check: ProjectCheck): Promise<Finding[]> {
  const servers = Object.values(project.servers);
  const pool = createToolPool({
    allowHosts: check.allowHosts,
    stdio: check.allowStdio ? { env: { PATH: check.load.processEnv.PATH ?? "" } } : null,
    openBuiltin: createBuiltins(builtinsByEnv(project.root)),
  });
  try {
    return await Promise.all(servers.map((server) => checkServer(project, server, { ...check, pool })));
  } finally {
    await pool.close();
  }
}

async function checkServer(
  project: Project,
  server: ProjectServer,
  { pool, ...check }: ProjectCheck & { pool: ToolPool },
): Promise<Finding> {
  const name = `tool server ${server.name}`;
  try {
    const list = await pool.listTools(resolveAlone(project, server, { variables: check.load.processEnv }), {
      ageMaxMs: 0,
      signal: AbortSignal.timeout(LIST_TIMEOUT_MS),
    });
    const locked = readToolsLock(project.root);
    const changes = locked
      ? diffLocks(
          { version: 1, servers: locked.servers[server.name] ? { [server.name]: locked.servers[server.name]! } : {} },
          { version: 1, servers: { [server.name]: lockServer(list.tools) } },
        )
      : [];
    if (changes.length > 0)
      return warning(
        name,
        `${list.tools.length} tools, ${changes.length} not as locked: ${changes.map(({ tool }) => tool).join(", ")}`,
        "Look at what is different with `kimitsu lock --check`, then run `kimitsu lock`.",
      );
    return locked
      ? ok(name, `${list.tools.length} tools, as locked`)
      : warning(
          name,
          `${list.tools.length} tools, trusted on first use`,
          "Run `kimitsu lock` and commit the project's tools.lock.yaml.",
        );
  } catch (error) {
    const hint =
      "Check its address and credential; a host on this machine or in a private network must be listed in KIMITSU_ALLOW_HOSTS.";
    return (server.definition.required ? problem : warning)(name, messageOf(error), hint);
  }
}

async function checkModels(project: Project, check: ProjectCheck): Promise<Finding[]> {
  const { gateway } = project;
  if (!gateway && listAgents(project).length === 0) return [];
  if (!gateway)
    return [
      problem(
        "models",
        "the project has no gateway.yaml, so no agent has a model",
        "Write one; docs/reference/gateway.md shows how.",
      ),
    ];
  const find = (entry: Parameters<typeof findVariable>[1]) => findVariable(project, entry, check.load.processEnv);
  const findings: Finding[] = [];
  for (const provider of gateway.providers) {
    const name = `provider ${provider.name}`;
    try {
      if (provider.type === "scripted") loadScripts(project.texts, { ...gateway, providers: [provider] });
      else fillProviderConfig(provider, { model: provider.name, env: gateway.env, findVariable: find });
      findings.push(
        ok(
          name,
          provider.type === "scripted"
            ? "scripted; needs no key"
            : `${provider.type}, configured${check.askModels ? "" : "; --ask-models tries it"}`,
        ),
      );
    } catch (error) {
      findings.push(problem(name, messageOf(error), "Set its variables where Kimitsu runs."));
    }
  }
  return check.askModels && findings.every(({ state }) => state === "ok")
    ? [...findings, ...(await askGroups(project, check, find))]
    : findings;
}

async function askGroups(
  project: Project,
  check: ProjectCheck,
  find: (entry: Parameters<typeof findVariable>[1]) => string | null,
): Promise<Finding[]> {
  const config = project.gateway!;
  const isScripted = (model: string) =>
    config.providers.some(({ name, type }) => type === "scripted" && model.startsWith(`${name}/`));
  const groups = config.model_groups.filter(({ models }) => !models.every(isScripted));
  const egress = createEgress({ allowHosts: check.allowHosts });
  const gateway = createGateway({
    gateway: config,
    scripts: loadScripts(project.texts, config),
    findVariable: find,
    fetch: egress.guardedFetch,
    now: () => new Date(),
  });
  const request = {
    system: "Answer with one word.",
    messages: [{ role: "user" as const, text: "Say ready." }],
    tools: [],
    maxTokens: 16,
    temperature: null,
    metadata: { agent: "doctor", runId: "doctor", stepId: "doctor", turn: 1 },
  };
  try {
    return await Promise.all(
      groups.map(async ({ name }) => {
        try {
          const { model, costUsd, durationMs } = await gateway.generate(name, request, {
            signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
          });
          return ok(
            `model group ${name}`,
            `${model} answered in ${Math.round(durationMs)} ms for $${costUsd.toFixed(6)}`,
          );
        } catch (error) {
          return problem(`model group ${name}`, messageOf(error), "Check key, address and model id in gateway.yaml.");
        }
      }),
    );
  } finally {
    await egress.close();
  }
}
