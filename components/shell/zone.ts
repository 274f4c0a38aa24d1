/** Where the server finds the reader's time zone, which only a browser knows. It holds no secret. */
export const ZONE_COOKIE = "kimitsu-zone";
const COOKIE_AGE_S = 400 * 24 * 60 * 60;

/** UTC for readers whose browser has not sent a zone yet, and for an invalid zone. */
export function parseZone(value: string | undefined): string {
  if (!value) return "UTC";
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}

/** Browser only: true when the server did not know this zone yet and will with its next answer. */
export function rememberZone(known: string): boolean {
  const zone = parseZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
  if (zone === known) return false;
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${ZONE_COOKIE}=${zone}; path=/; max-age=${COOKIE_AGE_S}; samesite=lax${secure}`;
  return document.cookie.includes(`${ZONE_COOKIE}=`);
}
