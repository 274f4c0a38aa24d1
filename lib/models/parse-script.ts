/** Reads a script file and finds everything that is wrong with it before a turn is played. */
import { formatPath, type Problem, sortProblems, type ValuePath } from "@/lib/config/problem";
import { parseTemplates, type TemplateRoot } from "@/lib/config/template";
import { parseYamlSource, type YamlSource } from "@/lib/config/yaml-source";
import { listZodProblems } from "@/lib/config/zod-problems";
import { KimitsuError } from "@/lib/errors";
import { SCRIPT_ROOTS } from "./script-context";
import { type AgentScript, type Script, type ScriptTurn, scriptSchema } from "./script-schema";

export interface ParsedScript {
  /** Null when there are problems. */
  script: Script | null;
  problems: Problem[];
}

export function parseScript(file: string, text: string): ParsedScript {
  const source = parseYamlSource(file, text);
  if (source.problems.length > 0) return { script: null, problems: [...source.problems] };
  const parsed = scriptSchema.safeParse(source.value);
  if (!parsed.success)
    return { script: null, problems: sortProblems(listZodProblems(source, scriptSchema, parsed.error)) };
  const problems = listTemplateProblems(source, parsed.data);
  return { script: problems.length > 0 ? null : parsed.data, problems };
}

/** Like parseScript, for callers that cannot continue without a script. Throws `config_invalid` with every problem. */
export function getScript(file: string, text: string): Script {
  const { script, problems } = parseScript(file, text);
  if (script) return script;
  const issues = problems.map(({ line, column, path, message, hint }) => ({
    path: `${file}:${line}:${column}${path ? ` ${path}` : ""}`,
    message: hint ? `${message}; ${hint}` : message,
  }));
  const lines = issues.map((issue) => `  ${issue.path}: ${issue.message}`);
  throw new KimitsuError("config_invalid", `The script ${file} cannot be played:\n${lines.join("\n")}`, { issues });
}

function listTemplateProblems(source: YamlSource, script: Script): Problem[] {
  return listTurns(script).flatMap(({ path, turn }) => {
    const { say, output, call } = turn;
    const texts = {
      ...(say !== undefined && { say }),
      ...(output !== undefined && { output }),
      ...(call && { call: call.map((each) => ({ arguments: each.arguments })) }),
    };
    return parseTemplates(texts, SCRIPT_ROOTS as readonly string[] as readonly TemplateRoot[]).problems.map(
      ({ at, message }): Problem => {
        const place: ValuePath = [...path, ...at];
        return { file: source.file, ...source.locate(place), path: formatPath(place), message, severity: "error" };
      },
    );
  });
}

function listTurns(script: Script): { path: ValuePath; turn: ScriptTurn }[] {
  return Object.entries(script.agents).flatMap(([name, agent]) => listAgentTurns(["agents", name], agent));
}

function listAgentTurns(
  path: ValuePath,
  { rules, turns, otherwise }: AgentScript,
): { path: ValuePath; turn: ScriptTurn }[] {
  return [
    ...rules.map((turn, index) => ({ path: [...path, "rules", index], turn })),
    ...turns.flatMap((entry, index) =>
      entry.branches
        ? entry.branches.map((turn, branch) => ({ path: [...path, "turns", index, "branches", branch], turn }))
        : [{ path: [...path, "turns", index], turn: entry }],
    ),
    ...(otherwise ? [{ path: [...path, "otherwise"], turn: otherwise }] : []),
  ];
}
