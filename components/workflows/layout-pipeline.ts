export interface PipelineNode {
  id: string;
  dependsOn: readonly string[];
}

export interface Placed {
  column: number;
  row: number;
}

/**
 * Where each step stands on the map: a column after everything it waits for, and in its column near the rows of those.
 * Missing steps are ignored, and so are cycles, which no valid project has.
 */
export function layoutPipeline(nodes: readonly PipelineNode[]): Map<string, Placed> {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const columns = new Map<string, number>();
  const columnOf = (id: string, above: ReadonlySet<string>): number => {
    const done = columns.get(id);
    if (done !== undefined) return done;
    const needed = (known.get(id)?.dependsOn ?? []).filter((other) => known.has(other) && !above.has(other));
    const column = Math.max(-1, ...needed.map((other) => columnOf(other, new Set([...above, id])))) + 1;
    columns.set(id, column);
    return column;
  };
  for (const { id } of nodes) columnOf(id, new Set());

  const placed = new Map<string, Placed>();
  const last = Math.max(-1, ...columns.values());
  for (let column = 0; column <= last; column++) {
    const here = nodes.filter(({ id }) => columns.get(id) === column);
    const meanRows = new Map(here.map((node) => [node.id, meanRow(node, placed)]));
    // Equal rows keep the order of the file, because sorting is stable.
    here.sort((one, other) => (meanRows.get(one.id) ?? 0) - (meanRows.get(other.id) ?? 0));
    here.forEach(({ id }, row) => placed.set(id, { column, row }));
  }
  return placed;
}

function meanRow({ dependsOn }: PipelineNode, placed: ReadonlyMap<string, Placed>): number {
  const rows = dependsOn.flatMap((id) => placed.get(id)?.row ?? []);
  return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
}
