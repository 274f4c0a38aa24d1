/** Where the params of a profile's servers come from: its variables, with nothing in between, or literals. */
import type { Loaded } from "@/lib/config/draft";
import type { Links, ServerLink } from "@/lib/config/links";
import type { Profile } from "@/lib/config/profile-schema";
import type { ChainNode } from "./chain";
import { listFlows } from "./flows";
import { envNode, LITERAL_BESIDE_ENV, literalNode } from "./nodes";

interface ProfileFlow {
  start: ChainNode;
  link: ServerLink;
  param: string;
}

/** Anything but a declared variable or a literal is reported where it is written, and starts nothing. */
export function listProfileFlows(profile: Loaded<Profile>, links: Links): ProfileFlow[] {
  const { source, file, definition } = profile;
  return (links.servers.get(file) ?? []).flatMap((link) =>
    listFlows(definition.servers[link.index]?.params ?? {}, undefined).flatMap(({ from, at, to }) => {
      const start =
        from === "literal"
          ? literalNode(source, ["servers", link.index, "params", ...at], LITERAL_BESIDE_ENV)
          : from.root === "env"
            ? envNode(profile, from.path[0] ?? "", ` of profile ${definition.name}`)
            : null;
      return start === null ? [] : [{ start, link, param: to[0] ?? "" }];
    }),
  );
}
