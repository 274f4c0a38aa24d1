/** Reads the scripts of all scripted providers once, when a project is loaded. */
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

/**
 * By the name of the provider, from the files of the project. Throws `config_invalid` for one that is missing, lies
 * outside of the project or cannot be played.
 */
export function loadScripts(
  texts: Readonly<Record<string, string>>,
  gateway: Pick<Gateway, "providers">,
): ReadonlyMap<string, ScriptFile> {
  const scripted = gateway.providers.filter((provider) => provider.type === "scripted");
  return new Map(scripted.map(({ name, config }) => [name, loadScript(texts, config.script)] as const));
}

function loadScript(texts: Readonly<Record<string, string>>, reference: string): ScriptFile {
  const file = path.posix.normalize(reference);
  if (path.posix.isAbsolute(file) || file === ".." || file.startsWith("../")) {
    throw new KimitsuError(
      "config_invalid",
      `The script ${JSON.stringify(reference)} of gateway.yaml lies outside of the project; name a file in it, such as "models/demo.script.yaml".`,
    );
  }
  const text = Object.hasOwn(texts, file) ? texts[file] : undefined;
  if (text === undefined)
    throw new KimitsuError(
      "config_invalid",
      `The script ${JSON.stringify(reference)} of gateway.yaml is not in the project; put it in models/ and name it NAME.script.yaml.`,
    );
  return { file, script: getScript(file, text) };
}
