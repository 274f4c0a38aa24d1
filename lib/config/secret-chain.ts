/**
 * A secret is marked at every place that it passes through: env entry, workflow param, agent param, server param, auth.
 * Follows every value of every workflow from its source to its use, and reports each chain that is marked in some
 * places and not in others.
 */
import type { Agent } from "./agent-schema";
import { isUnknown, report, type Draft, type Loaded } from "./draft";
import type { Links, ServerLink } from "./links";
import { isOpen, propertiesOf } from "./param-schemas";
import type { ValuePath } from "./problem";
import { isClientWorkflow } from "./profile-parts";
import { drawChain, explainRepair, judgeChain, keyOf, type ChainNode } from "./secrets/chain";
import { checkSecretDefaults } from "./secrets/check-defaults";
import { listFlows, overlaps, type Flow } from "./secrets/flows";
import {
  agentParamNode,
  authNode,
  envNode,
  LITERAL_BESIDE_ENV,
  literalNode,
  openNode,
  outputNode,
  serverParamNode,
  workflowParamNode,
} from "./secrets/nodes";
import { listProfileFlows } from "./secrets/profile-flows";
import { checkWebhookAddress, listAddressFlows } from "./secrets/webhook-address";
import { listFrom, listStepReferences, listTemplates } from "./step-references";
import type { Step, WebhookStep } from "./step-schema";
import { parseTemplates } from "./template";
import type { Workflow } from "./workflow-schema";

export function checkSecretChains(draft: Draft, links: Links): void {
  new ChainTracer(draft, links).trace();
  checkSecretDefaults(draft);
}

type Overrides = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

const LITERAL_IN_AGENT =
  'a secret cannot stand in a file: declare a param with `secret: true` and pass "{{ params.NAME }}"';

class ChainTracer {
  private readonly reported = new Set<string>();
  /** Values that some chain has passed through; what is left over at the end starts a chain of its own. */
  private readonly passed = new Set<string>();
  /** Nodes that the current chain start has reached, so that the work is bounded by the number of links. */
  private seen = new Set<string>();

  constructor(
    private readonly draft: Draft,
    private readonly links: Links,
  ) {}

  trace(): void {
    const referenced = new Set(
      [...this.links.steps.values()]
        .flat()
        .flatMap((target) => (target?.kind === "workflow" ? [target.workflow.file] : [])),
    );
    const workflows = this.draft.workflows.filter(({ definition }) => !isClientWorkflow(definition.name));
    for (const { start, link, param } of this.draft.profiles.flatMap((each) => listProfileFlows(each, this.links)))
      this.traceServerParam(link, param, [start], false);
    for (const workflow of workflows) {
      const isStart = workflow.definition.visibility === "root" || !referenced.has(workflow.file);
      this.traceWorkflow(workflow, [], isStart ? "all" : "own");
      this.traceInvoke(workflow);
    }
    for (const workflow of workflows) this.traceWorkflow(workflow, [], "rest");
    for (const agent of this.draft.agents) {
      if (!isClientWorkflow(agent.definition.name))
        this.traceAgent(agent, [], { only: null, overrides: toOverrides(null), isRest: true });
    }
    for (const server of this.draft.servers) {
      const link = { index: 0, name: server.definition.name, server };
      for (const param of Object.keys(server.definition.params)) this.traceServerParam(link, param, [], true);
    }
  }

  /**
   * `arrived` is the param through which the chain came in; without it chains start here, from everything, from all but
   * params (which parents fill), or from what is left over. Returns whether anything was followed.
   */
  private traceWorkflow(
    workflow: Loaded<Workflow>,
    chain: readonly ChainNode[],
    start: "all" | "own" | "rest" | { arrived: readonly string[] },
  ): boolean {
    let isUsed = false;
    for (const [index, step] of workflow.definition.pipeline.entries()) {
      for (const { flow, at, follow } of this.listStepFlows(workflow, index, step)) {
        const key = `${workflow.file}#${JSON.stringify(at)}#${JSON.stringify(flow.from)}`;
        const isParam = flow.from !== "literal" && flow.from.root === "params";
        if (typeof start === "object") {
          if (!isParam || flow.from === "literal" || !overlaps(flow.from.path, start.arrived)) continue;
          this.passed.add(key);
          isUsed = true;
          follow([...chain]);
          continue;
        }
        if (start === "own" && isParam) continue;
        if (start === "rest" && this.passed.has(key)) continue;
        this.passed.add(key);
        const source = this.sourceNode(workflow, flow, at);
        if (source === null) continue;
        this.seen = new Set();
        isUsed = true;
        follow([source]);
      }
    }
    return isUsed;
  }

  private sourceNode(workflow: Loaded<Workflow>, flow: Flow, at: ValuePath): ChainNode | null {
    if (flow.from === "literal") return literalNode(workflow.source, at, LITERAL_BESIDE_ENV);
    const { root, path } = flow.from;
    if (root === "env") return envNode(workflow, path[0] ?? "");
    if (root === "params") return workflowParamNode(workflow, path, "read");
    const stepId = workflow.definition.pipeline[Number(at[1])]?.id;
    return outputNode(workflow.source, at, root === "step" ? `output of step ${path[0]}` : `${root} of step ${stepId}`);
  }

  /** Everything that a step passes on, with what happens to it next. */
  private listStepFlows(
    workflow: Loaded<Workflow>,
    index: number,
    step: Step,
  ): { flow: Flow; at: ValuePath; follow: (chain: ChainNode[]) => void }[] {
    const base = ["pipeline", index];
    const target = this.links.steps.get(workflow.file)?.[index] ?? null;
    const open = this.listOpenUses(workflow, index, step);
    if (target?.kind === "agent" && "agent" in step) {
      const { server, ...given } = step.params;
      const overrides = toOverrides(server);
      const toAgent = listFlows(given, target.agent.definition.params?.schema).filter((flow) =>
        isReceived(target.agent, flow),
      );
      return [
        ...open,
        ...toAgent.map((flow) => ({
          flow,
          at: [...base, "params", ...flow.at],
          follow: (chain: ChainNode[]) =>
            this.enterAgent(target.agent, flow.to, chain, overrides, `${workflow.file}#${index}`),
        })),
        ...(this.links.servers.get(target.agent.file) ?? []).flatMap((link) =>
          listFlows(overrides[link.name] ?? {}, undefined).map((flow) => ({
            flow,
            at: [...base, "params", "server", link.name, ...flow.at],
            follow: (chain: ChainNode[]) => this.traceServerParam(link, flow.to[0] ?? "", chain, false),
          })),
        ),
      ];
    }
    if (target?.kind === "workflow" && "workflow" in step) {
      const field = step.input === undefined ? "params" : "input";
      const flows = listFlows(step.input ?? step.params ?? {}, target.workflow.definition.params?.schema).filter(
        (flow) => isReceived(target.workflow, flow),
      );
      return [
        ...open,
        ...flows.map((flow) => ({
          flow,
          at: [...base, field, ...flow.at],
          follow: (chain: ChainNode[]) => this.enterWorkflow(target.workflow, flow.to, chain),
        })),
      ];
    }
    return "webhook" in step ? [...open, ...this.listWebhookFlows(workflow, index, step)] : open;
  }

  private listWebhookFlows(
    workflow: Loaded<Workflow>,
    index: number,
    step: WebhookStep,
  ): { flow: Flow; at: ValuePath; follow: (chain: ChainNode[]) => void }[] {
    const at = ["pipeline", index, "webhook", "secret"];
    const end = authNode(workflow.source, at, `signature of step ${step.id}`);
    const { secret } = step.webhook;
    return [
      ...(secret === undefined
        ? []
        : listFlows({ secret }, undefined).map((flow) => ({
            flow,
            at,
            follow: (chain: ChainNode[]) => this.finish([...chain, end]),
          }))),
      ...listAddressFlows(workflow, index, step).map(({ flow, address }) => ({
        flow,
        at: flow.at,
        follow: (chain: ChainNode[]) => {
          this.finish(chain);
          checkWebhookAddress(this.draft, address, chain);
        },
      })),
    ];
  }

  /** Conditions, fan-outs, transforms and outputs: what they read is recorded. */
  private listOpenUses(
    workflow: Loaded<Workflow>,
    index: number,
    step: Step,
  ): { flow: Flow; at: ValuePath; follow: (chain: ChainNode[]) => void }[] {
    const labels: Record<string, string> = {
      condition: "condition",
      fan_out: "fan-out",
      transform: "transform",
      output: "output",
    };
    const ids = workflow.definition.pipeline.map((candidate) => candidate.id);
    const isLast = index === workflow.definition.pipeline.length - 1;
    const { map, from } = workflow.definition.output ?? {};
    const outputs = isLast
      ? [
          ...listTemplates(map ?? {}, ["map"], "output"),
          ...(from === undefined ? [] : listFrom(from, ["from"], "output")),
        ]
      : [];
    const places = [
      ...listStepReferences(step, ids).map((reference) => ({
        reference,
        at: ["pipeline", index, ...reference.at],
        label: `${labels[reference.place]} of step ${step.id}`,
      })),
      ...outputs.map((reference) => ({
        reference,
        at: ["output", ...reference.at],
        label: `output of workflow ${workflow.definition.name}`,
      })),
    ];
    return places
      .filter(
        ({ reference }) =>
          labels[reference.place] !== undefined && (reference.root === "env" || reference.root === "params"),
      )
      .map(({ reference: { root, path }, at, label }) => ({
        flow: { from: { root, path }, at, to: [] },
        at,
        follow: (chain: ChainNode[]) => this.finish([...chain, openNode(workflow.source, at, label)]),
      }));
  }

  private enterWorkflow(workflow: Loaded<Workflow>, to: readonly string[], chain: ChainNode[]): void {
    const extended = [...chain, workflowParamNode(workflow, to, "written")];
    if (!this.isNew(`${workflow.file}#${to.join(".")}`) || !this.traceWorkflow(workflow, extended, { arrived: to }))
      this.finish(extended);
  }

  private enterAgent(
    agent: Loaded<Agent>,
    to: readonly string[],
    chain: ChainNode[],
    overrides: Overrides,
    context: string,
  ): void {
    const extended = [...chain, agentParamNode(agent, to, "written")];
    const key = `${agent.file}#${to.join(".")}#${Object.keys(overrides).length > 0 ? context : ""}`;
    if (!this.isNew(key) || !this.traceAgent(agent, extended, { only: to, overrides, isRest: false }))
      this.finish(extended);
  }

  /**
   * Follows a param through the agent's file: into prompts, servers and sub-agents. Returns whether it is used at all.
   */
  private traceAgent(
    agent: Loaded<Agent>,
    chain: readonly ChainNode[],
    options: { only: readonly string[] | null; overrides: Overrides; isRest: boolean },
  ): boolean {
    let isUsed = false;
    for (const { flow, at, follow, replaced } of this.listAgentFlows(agent)) {
      if (replaced !== null && Object.hasOwn(options.overrides[replaced.server] ?? {}, replaced.param)) continue;
      const key = `${agent.file}#${JSON.stringify(at)}#${JSON.stringify(flow.from)}`;
      const isFromParam = flow.from !== "literal";
      if (options.only !== null && !(flow.from !== "literal" && overlaps(flow.from.path, options.only))) continue;
      if (options.isRest && isFromParam && this.passed.has(key)) continue;
      this.passed.add(key);
      isUsed = true;
      if (options.isRest) this.seen = new Set();
      const start =
        flow.from === "literal"
          ? literalNode(agent.source, at, LITERAL_IN_AGENT)
          : agentParamNode(agent, flow.from.path, "read");
      follow(chain.length > 0 ? [...chain] : [start]);
    }
    return isUsed;
  }

  private listAgentFlows(agent: Loaded<Agent>): {
    flow: Flow;
    at: ValuePath;
    follow: (chain: ChainNode[]) => void;
    replaced: { server: string; param: string } | null;
  }[] {
    const { prompt } = agent.definition;
    const prompts = (["user", "reflect"] as const).flatMap((field) =>
      parseTemplates(prompt[field] ?? "", ["params"]).references.map(({ root, path }) => {
        const at = ["prompt", field];
        return {
          flow: { from: { root, path }, at, to: [] },
          at,
          replaced: null,
          follow: (chain: ChainNode[]) =>
            this.finish([...chain, openNode(agent.source, at, `prompt.${field} of ${agent.definition.name}`)]),
        };
      }),
    );
    const servers = (this.links.servers.get(agent.file) ?? []).flatMap((link) =>
      listFlows(agent.definition.servers[link.index]?.params ?? {}, undefined).map((flow) => ({
        flow,
        at: ["servers", link.index, "params", ...flow.at],
        replaced: { server: link.name, param: flow.to[0] ?? "" },
        follow: (chain: ChainNode[]) => this.traceServerParam(link, flow.to[0] ?? "", chain, false),
      })),
    );
    const subagents = (this.links.subagents.get(agent.file) ?? []).flatMap((link) =>
      listFlows(link.params, link.agent.definition.params?.schema).map((flow) => ({
        flow,
        at: [...link.at, "params", ...flow.at],
        replaced: null,
        follow: (chain: ChainNode[]) => this.enterAgent(link.agent, flow.to, chain, toOverrides(null), ""),
      })),
    );
    return [...prompts, ...servers, ...subagents];
  }

  private traceServerParam(link: ServerLink, param: string, chain: readonly ChainNode[], isRest: boolean): void {
    const node = serverParamNode(link, param);
    if (node === null) return;
    const { server } = link;
    const key = `${server.file}#${JSON.stringify(server.base)}#${param}`;
    if (isRest && this.passed.has(key)) return;
    this.passed.add(key);
    const isInAuth = parseTemplates(server.definition.auth?.secret ?? "", ["params"]).references.some(
      (reference) => reference.path[0] === param,
    );
    this.finish([...chain, node, ...(isInAuth ? [authNode(server.source, [...server.base, "auth", "secret"])] : [])]);
  }

  private traceInvoke(workflow: Loaded<Workflow>): void {
    const secret = workflow.definition.invoke?.auth.secret;
    if (secret === undefined) return;
    const at = ["invoke", "auth", "secret"];
    const { references } = parseTemplates(secret, ["env"]);
    const end = authNode(workflow.source, at, "invoke.auth");
    if (references.length === 0 && !secret.includes("{{"))
      this.finish([literalNode(workflow.source, at, LITERAL_BESIDE_ENV), end]);
    for (const { path } of references) {
      const node = envNode(workflow, path[0] ?? "");
      if (node !== null) this.finish([node, end]);
    }
  }

  private isNew(key: string): boolean {
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }

  private finish(chain: readonly ChainNode[]): void {
    const broken = judgeChain(chain);
    // A mark that is missing because its place could not be read is not a broken chain.
    if (broken === null || chain.some(({ source, at }) => isUnknown(this.draft, source.file, ...at))) return;
    const key = keyOf(broken.culprits);
    if (this.reported.has(key)) return;
    this.reported.add(key);
    const [first] = broken.culprits as [ChainNode];
    report(this.draft, first.source, first.at, broken.isLeak ? "a secret would be shown" : "secret chain broken", {
      chain: drawChain(chain, broken.culprits),
      hint: explainRepair(broken.culprits),
    });
  }
}

/** Values for undeclared params are reported with the params; they flow nowhere. */
function isReceived({ definition }: Loaded<Agent> | Loaded<Workflow>, flow: Flow): boolean {
  const schema = definition.params?.schema;
  return schema === undefined || Object.hasOwn(propertiesOf(schema), flow.to[0] ?? "") || isOpen(schema);
}

function toOverrides(server: unknown): Overrides {
  // No prototype, because a server may be called "constructor".
  const overrides = Object.create(null) as Record<string, Record<string, unknown>>;
  if (server === null || typeof server !== "object" || Array.isArray(server)) return overrides;
  for (const [name, values] of Object.entries(server)) {
    if (values !== null && typeof values === "object" && !Array.isArray(values))
      overrides[name] = values as Record<string, unknown>;
  }
  return overrides;
}
