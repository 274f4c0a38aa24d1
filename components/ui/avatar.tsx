import { classNames } from "./class-names";

/** Up to two initials, counted by character so that names outside Latin work too. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/u).filter(Boolean);
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words;
  return picked.map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "").join("") || "?";
}

export function Avatar({ name, className }: { name: string; className?: string }) {
  return (
    <span
      aria-hidden
      className={classNames(
        "grid size-6.5 shrink-0 place-items-center rounded-full bg-accent-soft text-2xs font-semibold text-accent",
        className,
      )}
    >
      {initials(name)}
    </span>
  );
}
