/** Uncaught errors in a process of ours, with secrets in their text and beside it. */
import { writeFileSync } from "node:fs";
import path from "node:path";

/** Thrown where nothing catches, or a promise that is rejected without a handler. */
export type Fault = "thrown" | "rejected";

/** Loaded before the application. On a signal it reads what to do from a file beside it. */
export const FAULT_PROGRAM = `import { readFileSync } from "node:fs";
process.on("SIGUSR2", () => {
  const { kinds, variables } = JSON.parse(readFileSync(new URL("fault.json", import.meta.url), "utf8"));
  const secrets = variables.map((name) => process.env[name]);
  const error = () => Object.assign(new Error("nobody caught " + secrets.join(" and ")), { headers: { authorization: secrets } });
  if (kinds.includes("rejected")) void Promise.reject(error());
  if (kinds.includes("thrown")) setImmediate(() => { throw error(); });
});
`;

export function writeFault(folder: string, kinds: readonly Fault[], variables: readonly string[]): void {
  writeFileSync(path.join(folder, "fault.json"), JSON.stringify({ kinds, variables }));
}
