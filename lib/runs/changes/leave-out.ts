/**
 * Omits from a record what its reader knows: the reader spreads the record over the same known values, so a differing
 * value, or a complete record, is read as it is. Only for values that every such record has, and for what becomes JSON,
 * which omits undefined. Pure.
 */
export function leaveOut<Row extends object>(row: Row, known: Partial<Row>): Partial<Row> {
  const kept: Partial<Row> = { ...row };
  for (const name of Object.keys(known) as (keyof Row)[]) {
    if (isSame(row[name], known[name])) kept[name] = undefined;
  }
  return kept;
}

export const isSame = (left: unknown, right: unknown): boolean =>
  left === right || (isObject(left) && isObject(right) && JSON.stringify(left) === JSON.stringify(right));

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
