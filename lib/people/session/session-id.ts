import type { JWT } from "next-auth/jwt";

/**
 * Which session a cookie belongs to. It stays the same when the cookie is renewed; a cookie from before sessions had
 * ids uses its own id.
 */
export const sessionIdOf = (token: Pick<JWT, "sid" | "jti">): string => token.sid ?? token.jti ?? "";
