/** What a person chose for themselves. Kept with their account, so that it holds in every browser. */
import { z } from "zod";

const THEMES = ["light", "dark", "system"] as const;
const LANDINGS = ["inbox", "mine", "history", "workflows", "tools", "insights"] as const;

/** Each alone: what an older version kept, or another one wrote, takes nothing else with it. */
const fields = {
  /** Absent until they choose: then the browser's own choice holds. */
  theme: z.enum(THEMES).optional().catch(undefined),
  /** Single keys of the inbox. */
  keys: z.boolean().catch(true),
  notifications: z.boolean().catch(false),
  /** The page that the bare address leads to. */
  landing: z.enum(LANDINGS).catch("inbox"),
};

const storedSchema = z.object(fields).catch({ theme: undefined, keys: true, notifications: false, landing: "inbox" });
export type Preferences = z.infer<typeof storedSchema>;
export type Landing = Preferences["landing"];

/** Out of the database; never fails. */
export const readPreferences = (stored: unknown): Preferences => storedSchema.parse(stored);

/** A change names what it changes, and nothing else. */
export const preferencesChangeSchema = z
  .strictObject({ theme: z.enum(THEMES), keys: z.boolean(), notifications: z.boolean(), landing: z.enum(LANDINGS) })
  .partial();
export type PreferencesChange = z.infer<typeof preferencesChangeSchema>;
