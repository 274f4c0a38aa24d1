/** The projects that growth is measured on. */
import { ACT_PROJECT } from "./kimitsu-runtime";

const ALLOWED =
  "name: worker\nmodel: standard\nprompt: { system: Work., user: Go. }\nservers:\n  - name: bench\n    access: { allowlist: [act] }\n";

function playing(turns: unknown[]): string {
  return JSON.stringify({ agents: { worker: { turns } } });
}
const call = (text: string) => ({ say: "I act.", call: [{ tool: "act", arguments: { text } }] });

/** The most that one conversation has here; a longer run is one of several steps. */
const TURNS_PER_STEP = 100;

/** A run that calls the tool on each of `turns` turns without asking anyone. */
export function longRun(turns: number): Record<string, string> {
  const perStep = Math.min(turns, TURNS_PER_STEP);
  const steps = Array.from({ length: turns / perStep }, (_, index) => ({
    id: `step-${index}`,
    agent: "./agents/worker.agent.yaml",
    depends_on: index > 0 ? [`step-${index - 1}`] : [],
  }));
  return {
    ...ACT_PROJECT,
    "models/bench.script.yaml": playing([...Array.from({ length: perStep }, () => call("act")), { say: "done" }]),
    "agents/worker.agent.yaml": `${ALLOWED}max_turns: ${perStep + 1}\n`,
    "workflows/main.workflow.yaml": JSON.stringify({ kind: "workflow", name: "main", pipeline: steps }),
  };
}

/** The usual agent, with a model over HTTP: a script cannot hold long arguments. */
export function remoteModel(url: string): Record<string, string> {
  return {
    ...ACT_PROJECT,
    "gateway.yaml": JSON.stringify({
      providers: [{ name: "bench", type: "openai-compatible", config: { base_url: `${url}/v1` } }],
      model_groups: [{ name: "standard", models: ["bench/m"] }],
    }),
  };
}

/** The usual agent among many others, each with a workflow of its own. */
export function manyAgents(count: number): Record<string, string> {
  const files: Record<string, string> = { ...ACT_PROJECT };
  for (let index = 1; index < count; index++) {
    files[`agents/other-${index}.agent.yaml`] = ACT_PROJECT["agents/worker.agent.yaml"]!.replace(
      "name: worker",
      `name: other-${index}`,
    );
    files[`workflows/other-${index}.workflow.yaml`] = ACT_PROJECT["workflows/main.workflow.yaml"]!.replace(
      "name: main",
      `name: other-${index}`,
    ).replace("worker.agent", `other-${index}.agent`);
  }
  return files;
}

/** A run that calls a tool server over HTTP so many times, one after the other. */
export function remoteCalls(url: string, calls: number): Record<string, string> {
  return {
    ...longRun(calls),
    "servers/slow.server.yaml": `name: slow\nurl: "${url}"\n`,
    "agents/worker.agent.yaml": `name: worker\nmodel: standard\nmax_turns: ${calls + 1}\nprompt: { system: Work., user: Go. }\nservers:\n  - { name: slow, path: servers/slow.server.yaml, access: { allowlist: [act] } }\n`,
  };
}
