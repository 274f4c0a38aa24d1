import { cookies } from "next/headers";
import { parseTheme, type Theme, THEME_COOKIE } from "@/components/theme/theme";
import { findSession } from "@/lib/people/session/session";

/**
 * The account's choice, so that the first byte has the right colours in any browser; before one was made, and signed
 * out, this browser's last one.
 */
export async function currentTheme(): Promise<Theme> {
  const cookie = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  // The page that reports an unavailable database still has colours.
  const session = await findSession().catch(() => null);
  return session?.preferences.theme ?? cookie;
}
