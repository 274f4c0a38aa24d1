/** Names that are kept for tool servers that are part of Kimitsu. This version has none of them. */
export const BUILTIN_PREFIX = "kimitsu/";

/**
 * Model-facing names have no slash, so `kimitsu/files` is `kimitsu-files` there; that is why such names are reserved.
 */
export function modelFacingName(serverName: string): string {
  return serverName.replaceAll("/", "-");
}
