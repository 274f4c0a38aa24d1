/**
 * What runs under load: `asked` calls a tool that a person approves, `free` the same tool without. Each run has a tag,
 * by which the tool server knows it.
 */

const PARAMS = { schema: { type: "object", required: ["tag"], properties: { tag: { type: "string" } } } };
const TURNS = [{ say: "I act.", call: [{ tool: "act", arguments: { text: "{{ params.tag }}" } }] }, { say: "done" }];
const played = { params: { tag: String.raw`Go (\S+)` }, turns: TURNS };

const agent = (name, allowed) => ({
  name,
  model: "standard",
  params: PARAMS,
  prompt: { system: "Work.", user: "Go {{ params.tag }}" },
  servers: [{ name: "recorder", path: "servers/recorder.server.yaml", access: { allowlist: [allowed] } }],
});
const workflow = (name) => ({
  kind: "workflow",
  name,
  params: PARAMS,
  pipeline: [{ id: "work", agent: `./agents/${name}.agent.yaml`, params: { tag: "{{ params.tag }}" } }],
});

/** The files, by name; JSON is YAML. */
export function loadProject(toolUrl) {
  const files = {
    "gateway.yaml": {
      providers: [{ name: "bench", type: "scripted", config: { script: "models/bench.script.yaml" } }],
      model_groups: [{ name: "standard", models: ["bench/m"] }],
    },
    "models/bench.script.yaml": { agents: { asked: played, free: played } },
    "servers/recorder.server.yaml": { name: "recorder", url: toolUrl },
    "agents/asked.agent.yaml": agent("asked", { name: "act", require_approval: { timeout: "7d" } }),
    "agents/free.agent.yaml": agent("free", "act"),
    "workflows/asked.workflow.yaml": workflow("asked"),
    "workflows/free.workflow.yaml": workflow("free"),
  };
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, JSON.stringify(content)]));
}
