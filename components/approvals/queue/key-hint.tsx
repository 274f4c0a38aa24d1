/** The key that does the same. Screen readers find the keys in the map that "?" opens. */
export function KeyHint({ letter }: { letter: string }) {
  return (
    <kbd
      aria-hidden
      className="inline-block rounded-[4px] border border-current/35 px-1.25 text-2xs leading-4 max-tablet:hidden"
    >
      {letter}
    </kbd>
  );
}
