import type { ReactNode } from "react";
import { classNames } from "@/components/ui/class-names";
import { Row, Table, Td, Th } from "@/components/ui/table";

export interface Column<Item> {
  title: string;
  renderCell: (item: Item) => ReactNode;
  /** A number or a length of time: to the right, in figures of one width. */
  isFigure?: boolean;
  /** Left out on a phone. */
  isSecondary?: boolean;
}

interface Props<Item> {
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The first says what the row is about. */
  columns: readonly Column<Item>[];
  isDense?: boolean;
}

/** A table of figures: what each row is about, then what is known of it. */
export function FigureTable<Item>({ label, items, keyOf, columns, isDense = false }: Props<Item>) {
  const look = ({ isFigure, isSecondary }: Column<Item>) =>
    classNames(isFigure && "text-right", isSecondary && "max-tablet:hidden");
  return (
    <Table
      label={label}
      head={columns.map((column) => (
        <Th key={column.title} className={look(column)}>
          {column.title}
        </Th>
      ))}
    >
      {items.map((item) => (
        <Row key={keyOf(item)} className="hover:bg-sunken/60">
          {columns.map((column, index) => (
            <Td
              key={column.title}
              className={classNames(
                look(column),
                column.isFigure && "whitespace-nowrap tabular-nums",
                index === 0 && "w-full wrap-anywhere tablet:w-auto",
                isDense && "py-1.5",
              )}
            >
              {column.renderCell(item)}
            </Td>
          ))}
        </Row>
      ))}
    </Table>
  );
}
