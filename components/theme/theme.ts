import type { PreferencesChange } from "@/lib/people/rules/preferences";

/** Keeps a choice with the person's account; null when it did, else why not. */
export type SavePreferences = (change: PreferencesChange) => Promise<string | null>;

export const THEMES = ["light", "dark", "system"] as const;
export type Theme = (typeof THEMES)[number];

/** This browser's copy of the choice, for the pages before the sign-in. It holds no secret. */
export const THEME_COOKIE = "kimitsu-theme";
const COOKIE_AGE_S = 400 * 24 * 60 * 60;

export function parseTheme(value: string | undefined): Theme {
  return THEMES.find((theme) => theme === value) ?? "system";
}

/** Browser only: switches at once and remembers the choice for the next page the server renders. */
export function applyTheme(theme: Theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=${COOKIE_AGE_S}; samesite=lax${secure}`;
}
