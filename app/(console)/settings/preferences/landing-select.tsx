"use client";

import type { SavePreferences } from "@/components/theme/theme";
import { SelectField } from "@/components/ui/field";
import { usePreference } from "@/components/ui/use-preference";
import type { Landing } from "@/lib/people/rules/preferences";

const CHOICES: { value: Landing; label: string }[] = [
  { value: "inbox", label: "Inbox" },
  { value: "mine", label: "Inbox, only what I may decide" },
  { value: "history", label: "History" },
  { value: "workflows", label: "Workflows" },
  { value: "tools", label: "Tools" },
  { value: "insights", label: "Insights" },
];

export function LandingSelect({ initial, save }: { initial: Landing; save: SavePreferences }) {
  const { value, problem, change } = usePreference(initial, (landing) => save({ landing }));
  return (
    <SelectField
      id="landing"
      className="max-w-96"
      label="First page"
      choices={CHOICES}
      value={value}
      error={problem ?? undefined}
      onChange={(event) => change(event.target.value as Landing)}
    />
  );
}
