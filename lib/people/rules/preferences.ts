/** What a person chose for themselves; stored with the account, so that it applies in every browser. */
import { z } from "zod";

const THEMES = ["light", "dark", "system"] as const;
const LANDINGS = ["inbox", "mine", "history", "workflows", "tools", "insights"] as const;

/** Each field falls back by itself, so that an invalid one from another version does not affect the others. */
const fields = {
  /** Absent until they choose; then the browser's setting applies. */
  theme: z.enum(THEMES).optional().catch(undefined),
  /** Single-key shortcuts of the inbox. */
  keys: z.boolean().catch(true),
  notifications: z.boolean().catch(false),
  /** The page that the root address redirects to. */
  landing: z.enum(LANDINGS).catch("inbox"),
};

const storedSchema = z.object(fields).catch({ theme: undefined, keys: true, notifications: false, landing: "inbox" });
export type Preferences = z.infer<typeof storedSchema>;
export type Landing = Preferences["landing"];

/** Parses the stored value; never fails. */
export const readPreferences = (stored: unknown): Preferences => storedSchema.parse(stored);

/** A change contains only the fields that it changes. */
export const preferencesChangeSchema = z
  .strictObject({ theme: z.enum(THEMES), keys: z.boolean(), notifications: z.boolean(), landing: z.enum(LANDINGS) })
  .partial();
export type PreferencesChange = z.infer<typeof preferencesChangeSchema>;
