/**
 * What a client calls itself, for people. Anyone can call themselves anything, so that it is shortened, and what cannot
 * be seen is written out.
 */
import { showInvisible } from "@/lib/text/tool-text";

const LENGTH_MAX = 80;

export function showClientName(name: string, version = ""): string {
  const text = showInvisible([name.trim(), version.trim()].filter(Boolean).join(" ").replaceAll(/\s+/gu, " "));
  if (text === "") return "unnamed client";
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX).toWellFormed()}…` : text;
}
