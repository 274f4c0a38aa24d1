/** Reads the files of all scripted providers once, when a project is loaded. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Gateway } from "@/lib/config/gateway-schema";
import { KimitsuError } from "@/lib/errors";
import { getScript } from "./parse-script";
import type { Script } from "./script-schema";

export interface ScriptFile {
  /** Relative to the project folder; named in errors. */
  file: string;
  script: Script;
}

/** By the name of the provider. Throws `config_invalid` for a file that is missing, lies outside of the project or cannot be played. */
export async function loadScripts(root: string, gateway: Pick<Gateway, "providers">): Promise<ReadonlyMap<string, ScriptFile>> {
  const scripted = gateway.providers.filter((provider) => provider.type === "scripted");
  return new Map(await Promise.all(scripted.map(async ({ name, config }) => [name, await loadScript(root, config.script)] as const)));
}

async function loadScript(root: string, reference: string): Promise<ScriptFile> {
  const file = path.posix.normalize(reference);
  if (path.posix.isAbsolute(file) || file === ".." || file.startsWith("../")) {
    throw new KimitsuError("config_invalid", `The script ${JSON.stringify(reference)} of gateway.yaml lies outside of the project; name a file in it, such as "models/demo.script.yaml".`);
  }
  const text = await readFile(path.join(root, file), "utf8").catch((cause: unknown) => {
    throw new KimitsuError("config_invalid", `The script ${JSON.stringify(reference)} of gateway.yaml cannot be read; put it into the project folder.`, { cause });
  });
  return { file, script: getScript(file, text) };
}
