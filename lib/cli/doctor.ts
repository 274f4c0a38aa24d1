/** `kimitsu doctor`: checks everything that a run needs, and says what to do about what is wrong. */
import path from "node:path";
import type { Command } from "commander";
import { openDatabase } from "@/lib/cli/database";
import { allowedHosts } from "@/lib/cli/demo-hosts";
import { checkDatabase } from "@/lib/cli/doctor/check-database";
import { checkProject } from "@/lib/cli/doctor/check-project";
import { type Finding, messageOf, ok, problem } from "@/lib/cli/doctor/finding";
import { jsonBlock } from "@/lib/cli/json-text";
import { createPaint, displayRoot, loadOptions, type Paint, projectRoot } from "@/lib/cli/project-options";
import { repositoryRoot } from "@/lib/cli/repository-root";
import { env } from "@/lib/env";

export function registerDoctor(program: Command): void {
  program
    .command("doctor")
    .description(
      "check database, clock, configuration, tool servers and models; exit code 1 when something must be done",
    )
    .option("--env <name>", "use the values of environments/<name>.env.yaml")
    .option("--ask-models", "ask each model group one short question, which costs a little")
    .option("--json", "print JSON")
    .action(async (options: { env?: string; askModels?: boolean; json?: boolean }) => {
      const root = projectRoot();
      const check = {
        root,
        shown: displayRoot(root),
        load: loadOptions(options),
        allowHosts: allowedHosts(),
        allowStdio: env.KIMITSU_ALLOW_STDIO,
        askModels: options.askModels === true,
      };
      const findings = [
        checkRuntime(),
        ...(await checkDatabase(openDatabase, path.join(repositoryRoot(), "prisma/migrations"))),
        checkSecret(),
        ...(await checkProject(check).catch((error: unknown) => [
          problem("configuration", messageOf(error), "kimitsu validate says more"),
        ])),
      ];
      console.log(options.json ? jsonBlock(findings) : describeFindings(findings, createPaint()));
      if (findings.some(({ state }) => state === "problem")) process.exitCode = 1;
    });
}

const checkRuntime = (): Finding => ok("runtime", `Node ${process.versions.node}`);

function checkSecret(): Finding {
  if (env.AUTH_SECRET) return ok("secret", "AUTH_SECRET is there");
  return problem(
    "secret",
    "AUTH_SECRET is not set, so nobody can sign in and nothing can be sealed",
    "Set AUTH_SECRET to at least 32 random characters, the same in every process; `npm start` makes one of its own in KIMITSU_DATA.",
  );
}

const SIGN = { ok: "ok", warning: "WARN", problem: "FAIL" } as const;

export function describeFindings(findings: readonly Finding[], paint: Paint): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const colour = { ok: paint.good, warning: paint.warn, problem: paint.bad };
  const lines = findings.flatMap(({ check, state, text, hint }) => [
    `${colour[state](SIGN[state].padEnd(4))}  ${check.padEnd(width)}  ${text}`,
    ...(hint ? [`      ${" ".repeat(width)}  ${paint.dim(`→ ${hint}`)}`] : []),
  ]);
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  const verdict =
    count("problem") > 0
      ? `${count("problem")} to put right${count("warning") > 0 ? `, ${count("warning")} to look at` : ""}.`
      : count("warning") > 0
        ? `It works; ${count("warning")} to look at.`
        : "All is well.";
  return [...lines, "", verdict].join("\n");
}
