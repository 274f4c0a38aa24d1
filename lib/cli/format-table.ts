import { plainLine } from "@/lib/cli/plain-line";

/**
 * Columns as wide as their widest cell; the last one unpadded. Hidden characters and line breaks in cells are escaped.
 */
export function formatTable(head: string[], cells: string[][]): string {
  const rows = cells.map((row) => row.map(plainLine));
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(head), ...rows.map(line)].join("\n");
}
