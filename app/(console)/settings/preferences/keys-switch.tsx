"use client";

import type { SavePreferences } from "@/components/theme/theme";
import { CheckField } from "@/components/ui/field";
import { usePreference } from "@/components/ui/use-preference";

export function KeysSwitch({ initial, save }: { initial: boolean; save: SavePreferences }) {
  const { value, problem, change } = usePreference(initial, (keys) => save({ keys }));
  return (
    <div className="grid gap-1.5">
      <CheckField
        label="Single keys are on"
        hint="Switch them off if you speak to your computer, or press keys by accident. Esc and Ctrl K always work."
        checked={value}
        onChange={(event) => change(event.target.checked)}
      />
      {problem ? (
        <p role="alert" className="text-sm text-critical">
          {problem}
        </p>
      ) : null}
    </div>
  );
}
