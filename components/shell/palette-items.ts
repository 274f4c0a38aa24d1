import type { Theme } from "@/components/theme/theme";

/** An entry of the palette: a place to go to, or a theme to switch to. */
export interface PaletteItem {
  label: string;
  detail: string;
  /** A quiet line below: what it is about. */
  about?: string;
  href?: string;
  theme?: Theme;
}

export interface PaletteGroup {
  title: string;
  items: readonly PaletteItem[];
}

/** What the server finds: places only. */
export interface FoundGroup {
  title: string;
  items: { label: string; detail: string; about?: string; href: string }[];
}

const THEMES: readonly PaletteItem[] = [
  { label: "Light theme", detail: "", theme: "light" },
  { label: "Dark theme", detail: "", theme: "dark" },
  { label: "Theme of the system", detail: "", theme: "system" },
];

/**
 * What is known without asking: pages that the person may open, and themes. Each word must begin a word of the entry.
 */
export function filterKnown(
  pages: readonly { label: string; href: string }[],
  text: string,
): { pages: PaletteGroup[]; themes: PaletteGroup[] } {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const fits = ({ label }: { label: string }) =>
    words.every((word) =>
      label
        .toLowerCase()
        .split(/[\s:,]+/u)
        .some((part) => part.startsWith(word)),
    );
  const group = (title: string, items: readonly PaletteItem[]): PaletteGroup[] =>
    items.length > 0 ? [{ title, items }] : [];
  return {
    pages: group(
      "Pages",
      pages.filter(fits).map((page) => ({ ...page, detail: "" })),
    ),
    themes: group("Theme", THEMES.filter(fits)),
  };
}

export const keyOf = (item: PaletteItem): string => item.href ?? item.label;

interface Shown {
  items: readonly PaletteItem[];
  /** Those of the items that can be chosen now. */
  open: readonly PaletteItem[];
  /** Where the person moved to; null as long as they only typed. */
  picked: PaletteItem | null;
  /** Whether the first that is open stays the first, whatever is yet found. */
  isSure: boolean;
}

/**
 * The place of the entry that Enter opens, or -1. It never changes while the person chooses: an entry is identified by
 * its content, not by its position.
 */
export function findActive({ items, open, picked, isSure }: Shown): number {
  const chosen =
    open.find((item) => picked !== null && keyOf(item) === keyOf(picked)) ?? (isSure ? open[0] : undefined);
  return chosen ? items.indexOf(chosen) : -1;
}

/** The entry after or before this one, round the ends; from none, the first or the last. */
export function besides(open: readonly PaletteItem[], item: PaletteItem | undefined, step: number): PaletteItem | null {
  const from = item ? open.indexOf(item) : step > 0 ? -1 : 0;
  return open[(from + step + open.length) % open.length] ?? null;
}
