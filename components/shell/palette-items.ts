import type { Theme } from "@/components/theme/theme";

/** An entry of the palette: a place to go to, or a theme to switch to. */
export interface PaletteItem {
  label: string;
  detail: string;
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
  items: { label: string; detail: string; href: string }[];
}

const THEMES: readonly PaletteItem[] = [
  { label: "Light theme", detail: "", theme: "light" },
  { label: "Dark theme", detail: "", theme: "dark" },
  { label: "Theme of the system", detail: "", theme: "system" },
];

/** What is known without asking: pages that the person may open, and themes. Each word must begin a word of the entry. */
export function filterKnown(pages: readonly { label: string; href: string }[], text: string): { pages: PaletteGroup[]; themes: PaletteGroup[] } {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const fits = ({ label }: { label: string }) => words.every((word) => label.toLowerCase().split(/[\s:,]+/u).some((part) => part.startsWith(word)));
  const group = (title: string, items: readonly PaletteItem[]): PaletteGroup[] => (items.length > 0 ? [{ title, items }] : []);
  return { pages: group("Pages", pages.filter(fits).map((page) => ({ ...page, detail: "" }))), themes: group("Theme", THEMES.filter(fits)) };
}
