/**
 * Names and addresses of what several servers offer to one client. Where only one server has any, its own stay as they
 * are; otherwise each says whose it is, so that no server can stand in for another. Pure.
 */
import { modelFacingName } from "@/lib/config/builtin-servers";

const SCHEME = "mcp://";

export interface NamedServer {
  /** The name that the profile has for it. */
  name: string;
}

export interface SharedNames<T extends NamedServer> {
  /** Also for addresses with variables. */
  toUri(server: T, uri: string): string;
  fromUri(uri: string): { server: T; uri: string } | null;
  toName(server: T, name: string): string;
  fromName(name: string): { server: T; name: string } | null;
}

export function shareNames<T extends NamedServer>(
  servers: readonly T[],
  { isPrefixed }: { isPrefixed: boolean },
): SharedNames<T> {
  const [first] = servers;
  const isAlone = servers.length <= 1;
  const facing = ({ name }: NamedServer) => modelFacingName(name);
  const placeOf = (server: T) => `${SCHEME}${facing(server)}/`;
  const prefixOf = (server: T) => `${facing(server)}__`;
  /** Longest first: a server may be named as another one and more. */
  const byLength = servers.toSorted((left, right) => right.name.length - left.name.length);
  const keepsNames = isAlone && !isPrefixed;
  return {
    toUri: (server, uri) => (isAlone ? uri : placeOf(server) + uri),
    fromUri: (uri) => {
      if (isAlone) return first ? { server: first, uri } : null;
      const server = byLength.find((each) => uri.startsWith(placeOf(each)));
      return server ? { server, uri: uri.slice(placeOf(server).length) } : null;
    },
    toName: (server, name) => (keepsNames ? name : prefixOf(server) + name),
    fromName: (name) => {
      if (keepsNames) return first ? { server: first, name } : null;
      const server = byLength.find((each) => name.startsWith(prefixOf(each)));
      return server ? { server, name: name.slice(prefixOf(server).length) } : null;
    },
  };
}
