/**
 * One value of the address's query. Repeated or empty ones count as absent, and so do those that no stored text can
 * equal.
 */
export function oneText(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" && !value.includes("\0") ? value.trim() : undefined;
}

/** The address with these parameters; absent ones are left out. */
export function addressWith(path: string, params: Record<string, string | undefined>): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}
