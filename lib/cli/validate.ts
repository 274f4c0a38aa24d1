/** `kimitsu validate`: every problem of every file, and exit code 1 if one of them is an error. */
import type { Command } from "commander";
import { loadProject, type LoadResult } from "@/lib/config/load-project";
import { formatProblem } from "@/lib/config/problem";
import type { FileKind } from "@/lib/config/project-files";
import { jsonBlock } from "@/lib/cli/json-text";
import { drawProject } from "@/lib/cli/workflow-graph";
import { createPaint, displayRoot, loadOptions, projectRoot, type Paint } from "@/lib/cli/project-options";

interface ValidateOptions {
  env?: string;
  json?: boolean;
  graph?: boolean;
}

export function registerValidate(program: Command): void {
  program
    .command("validate")
    .description("check the project's files; lists every problem with file and line")
    .option("--env <name>", "use the values of environments/<name>.env.yaml")
    .option("--json", "print files and problems as JSON")
    .option("--graph", "print all workflows and profiles as a Mermaid flowchart")
    .action((options: ValidateOptions) => {
      const root = projectRoot();
      const result = loadProject(root, loadOptions(options));
      const prefix = displayRoot(root);
      const isRight = result.project !== null;
      if (options.json) console.log(jsonBlock(toJson(result)));
      else if (options.graph && isRight) console.log(drawProject(result.project!));
      else (options.graph ? console.error : console.log)(describeResult(result, prefix, createPaint()));
      if (!isRight) process.exitCode = 1;
    });
}

function toJson({ project, problems, files }: LoadResult) {
  return { ok: project !== null, hash: project?.hash ?? null, files, problems };
}

const SECTIONS: { title: string; kinds: FileKind[] }[] = [
  { title: "Workflows", kinds: ["workflow"] },
  { title: "Agents", kinds: ["agent"] },
  { title: "Profiles", kinds: ["profile"] },
  { title: "Servers", kinds: ["server", "servers"] },
  { title: "Other", kinds: ["gateway", "policy", "environment", "script", "lock"] },
];

/** The text that a person reads: files by kind, then problems, then one line as a summary. */
export function describeResult({ problems, files }: LoadResult, prefix: string, paint: Paint): string {
  const lines: string[] = [];
  for (const { title, kinds } of SECTIONS) {
    const entries = files.filter((entry) => kinds.includes(entry.kind));
    if (entries.length === 0) continue;
    lines.push(
      title,
      ...entries.map(({ file, ok }) => `  ${ok ? paint.good("OKAY") : paint.bad("FAIL")}  ${file}`),
      "",
    );
  }
  const errors = problems.filter((problem) => problem.severity === "error");
  const warnings = problems.filter((problem) => problem.severity === "warning");
  lines.push(
    ...errors.map((problem) => formatProblem(problem, prefix)),
    ...warnings.map((problem) => paint.warn(formatProblem(problem, prefix))),
  );
  if (problems.length > 0) lines.push("");
  if (files.length === 0 && errors.length === 0) lines.push(paint.warn(`${prefix} holds no files that Kimitsu reads`));
  const counts = [count(errors.length, "error"), count(warnings.length, "warning")]
    .filter((text) => !text.startsWith("no "))
    .join(", ");
  lines.push(
    errors.length > 0 ? paint.bad(counts) : `${paint.good("All files are right")}${counts === "" ? "" : `, ${counts}`}`,
  );
  return lines.join("\n");
}

function count(number: number, word: string): string {
  return number === 0 ? `no ${word}s` : `${number} ${word}${number === 1 ? "" : "s"}`;
}
