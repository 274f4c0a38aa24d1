import type { JWT } from "next-auth/jwt";

/**
 * Which session a cookie belongs to. It stays the same when the cookie is renewed; one from before sessions had ids
 * goes by the id of the cookie.
 */
export const sessionIdOf = (token: Pick<JWT, "sid" | "jti">): string => token.sid ?? token.jti ?? "";
