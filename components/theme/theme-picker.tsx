"use client";

import { useId } from "react";
import { Monitor, Moon, Sun } from "lucide-react";
import type { SavePreferences, Theme } from "./theme";
import { useTheme } from "./use-theme";

const choices = [
  { value: "light", label: "Light", icon: Sun },
  { value: "dark", label: "Dark", icon: Moon },
  { value: "system", label: "System", icon: Monitor },
] as const;

/** Three radio buttons drawn as one strip; the choice applies at once, and in every browser once it is saved. */
export function ThemePicker({ initial, label, save }: { initial: Theme; label: string; save: SavePreferences }) {
  const { theme, problem, choose } = useTheme(initial, save);
  // Two of these can be on a page, and radio buttons of one name exclude each other.
  const name = useId();
  return (
    <div className="grid gap-1.5">
      <div
        role="radiogroup"
        aria-label={label}
        className="grid w-full max-w-96 grid-cols-3 gap-1 rounded-lg border border-line bg-sunken p-1"
      >
        {choices.map(({ value, label: word, icon: Icon }) => (
          <label
            key={value}
            className="flex h-8 items-center justify-center gap-2 rounded-sm text-ink-2 has-checked:bg-panel has-checked:font-medium has-checked:text-ink has-checked:shadow-rest has-focus-visible:outline-2 has-focus-visible:outline-accent max-tablet:h-10"
          >
            <input
              type="radio"
              name={name}
              value={value}
              checked={theme === value}
              onChange={() => choose(value)}
              className="sr-only"
            />
            <Icon aria-hidden className="size-4 stroke-[1.7]" />
            {word}
          </label>
        ))}
      </div>
      {problem ? (
        <p role="alert" className="text-sm text-critical">
          {problem}
        </p>
      ) : null}
    </div>
  );
}
