/** Set by scripts/web.mjs from the connection, after removing what the client sent under this name. */
export const CLIENT_ADDRESS_HEADER = "x-kimitsu-address";
