import { TextField } from "@/components/ui/field";
import { pickerValue, placeOf } from "./picked-times";

/**
 * A moment of the address, as the reader's clock has it. When the zone becomes known the moment is written again; what
 * was typed into an empty field stays.
 */
export function TimeField({
  id,
  name,
  label,
  at,
  zone,
  className,
}: {
  id: string;
  name: string;
  label: string;
  at: string | undefined;
  zone: string;
  className?: string;
}) {
  const value = pickerValue(at, zone);
  return (
    <TextField
      key={value}
      id={id}
      name={name}
      type="datetime-local"
      label={`${label} (${placeOf(zone)})`}
      defaultValue={value}
      className={className}
    />
  );
}
