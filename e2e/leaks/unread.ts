/**
 * Reports which pages and addresses of the application nobody has opened, so that a new one is covered as soon as it
 * appears.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import type { Place } from "./search";

export function findUnread(places: readonly Place[]): string[] {
  const opened = new Set(
    places
      .flatMap(({ name }) => /^(?:answer \w+|page) (\S+)/.exec(name)?.slice(1) ?? [])
      .map((address) => new URL(address, "http://localhost").pathname),
  );
  const lines = places.some(({ name }) => name.startsWith("stream of the console"));
  return readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|[\\/])(route\.ts|page\.tsx)$/.test(file))
    .map(
      (file) =>
        `/${path
          .dirname(file)
          .split(path.sep)
          .filter((part) => part !== "." && !part.startsWith("("))
          .join("/")}`,
    )
    .filter((address) => !(address === "/live/inbox" && lines))
    .filter((address) => ![...opened].some((seen) => toPattern(address).test(seen)));
}

const toPattern = (address: string) =>
  new RegExp(`^${address.replaceAll(/\[\.\.\.\w+\]/g, ".+").replaceAll(/\[\w+\]/g, "[^/]+")}$`);
