/** Redirects to the page that the person chose. */
const HOME = "/";
/** Never resolved: it only shows whether a path leaves the site. */
const HERE = "http://kimitsu.invalid";

/**
 * Where to go after sign-in: a path of this site, or the person's own first page. What names another host is ignored.
 */
export function safeNextPath(value: string | string[] | undefined): string {
  if (typeof value !== "string" || !value.startsWith("/")) return HOME;
  if (!URL.canParse(value, HERE)) return HOME;
  const url = new URL(value, HERE);
  const leaves = url.origin !== HERE || url.pathname.startsWith("//");
  return leaves || url.pathname === "/sign-in" ? HOME : `${url.pathname}${url.search}${url.hash}`;
}
