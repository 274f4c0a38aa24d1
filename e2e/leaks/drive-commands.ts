/** The command line prints no secret either, also in its errors; and a failed start leaves none in its last output. */
import type { Runs } from "./drive-runs";
import type { MailServer } from "./mail-server";
import type { OwnApp } from "./own-app";
import type { Place } from "./search";

/** Returns which commands were run, by their first word. */
export async function driveCommands(
  app: OwnApp,
  { runs, mail, tool }: { runs: Runs; mail: MailServer; tool: string },
  places: Place[],
): Promise<Set<string>> {
  const driven = new Set<string>();
  const give = async (name: string, args: string[], env: Record<string, string> = {}) => {
    driven.add(args[0]!);
    const { stdout, stderr } = await app.cli(args, env);
    places.push({ name: `command ${name}`, text: `${stdout}\n${stderr}` });
  };
  const away = new URL(app.env.DATABASE_URL!);
  away.port = "1";
  const secrets = [
    "--secret",
    "recorder.token=SVC_TOKEN",
    "--secret",
    "recorder.extra=HOOK_KEY",
    "--secret",
    "shut.token=SVC_TOKEN",
  ];
  const plain = [
    ["runs"],
    ["runs", "get", runs.main],
    ["runs", "get", runs.failed, "--json"],
    ["approvals"],
    ["approvals", "--json"],
    ["validate"],
    ["validate", "--graph"],
    ["projections", "rebuild"],
    ["audit", "verify"],
    ["tree", "main"],
    ["explain", "worker", tool, "--json"],
    ["schema", "--out", `${app.env.KIMITSU_DATA}/schema`],
    ["replay", "--json"],
    ["invoke", "main", "--input", "{}"],
    ["invoke", "door", "--input", "{}", "--wait"],
    ["reject", runs.approvalId, "--reason", `it is ${app.env.INVOKE_SECRET}`],
    ["reject", runs.approvalId, "--reason", "no"],
    ["approve", runs.approvalId],
    ["bootstrap"],
    ["lock", "--check", ...secrets],
    ["token", "create", "--name", "no scopes"],
    ["connect", "json", "--profile", "none", "--print"],
    ["user", "create", "--email", "nobody", "--role", "none", "--password", app.env.KIMITSU_ADMIN_PASSWORD!],
  ];
  for (const args of plain) await give(args.slice(0, 2).join(" "), args);
  for (const mood of ["refuse-sign-in", "take"] as const) {
    mail.will(mood);
    await give(`doctor, and the mail server is to ${mood}`, ["doctor", "--json"]);
  }
  for (const command of ["runs", "doctor", "worker"]) {
    await give(`${command} without a database`, [command], { DATABASE_URL: away.href });
    await give(`${command} with a short AUTH_SECRET`, [command], { AUTH_SECRET: app.env.AUTH_SECRET!.slice(0, 20) });
    await give(`${command} with a wrong variable`, [command], {
      PORT: app.env.SVC_TOKEN!,
      KIMITSU_SMTP_URL: app.env.HOOK_KEY!,
      LOG_LEVEL: app.env.CHANNEL_KEY!,
    });
    await give(`${command} without a project`, [command], { KIMITSU_PROJECT: `${app.env.KIMITSU_PROJECT}/none` });
  }
  return driven;
}
