/** Every address that answers, with real ids and with none that exist. */
import { exampleOf } from "@/lib/testing/example-of";
import { ask } from "./ask";
import type { Runs } from "./drive-runs";
import type { OwnApp } from "./own-app";
import type { Place } from "./search";

type Document = {
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: Record<string, unknown> }> } }>
  >;
} & Record<string, unknown>;

/** The documented calls, as a program makes them. */
export async function readApi(app: OwnApp, token: string, runs: Runs, places: Place[]): Promise<void> {
  const document = (await ask(app, places, "GET", "/openapi.json")).json as Document;
  for (const runId of [runs.main, runs.rejected, runs.edited, runs.failed, ...runs.inEachWay, "run_none"]) {
    const ids: Record<string, string> = {
      runId,
      approvalId: runs.approvalId,
      callId: runs.callId,
      step: "work",
      workflow: "main",
    };
    // What names no run is the same for each of them, and what only acts is requested for one.
    const isOneOf = runs.inEachWay.includes(runId);
    const paths = Object.entries(document.paths).filter(
      ([path, methods]) =>
        runId === runs.main || runId === "run_none" || (path.includes("{runId}") && (!isOneOf || methods.get)),
    );
    for (const [path, methods] of paths) {
      const address = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? "none");
      await ask(app, places, "GET", address, { token });
      await ask(app, places, "GET", address, { token, headers: { accept: "text/html" } });
      const schema = methods.post?.requestBody?.content["application/json"]?.schema;
      if (runId === "run_none" && schema)
        await ask(app, places, "POST", address, { token, body: exampleOf(schema, document) });
    }
  }
}

/** What pages of the console request by themselves, with the cookie of the signed-in person. */
export async function readConsole(app: OwnApp, cookie: string, runs: Runs, places: Place[]): Promise<void> {
  const headers = { cookie, origin: app.url };
  const look = { headers, body: { approval_id: runs.approvalId } };
  await ask(app, places, "POST", "/live/inbox/look", look);
  await ask(app, places, "DELETE", "/live/inbox/look", look);
  for (const address of [
    `/palette?q=${runs.main}`,
    "/palette?q=main",
    "/history/rows",
    `/history/${runs.main}/spans?from=0&to=8640000000000000`,
    "/api/auth/session",
    "/api/auth/providers",
  ])
    await ask(app, places, "GET", address, { headers });
}
