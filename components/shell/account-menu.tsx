"use client";

import { startTransition } from "react";
import { BookOpen, LogOut, Monitor, Moon, Settings, Sun } from "lucide-react";
import { parseTheme, type SavePreferences, type Theme } from "@/components/theme/theme";
import { useTheme } from "@/components/theme/use-theme";
import { Menu, MenuChoices, MenuItem, MenuLine, MenuLink } from "@/components/ui/menu";
import type { Person } from "./person";
import { PersonButton } from "./person-button";

const themes = [
  { value: "light", label: "Light", icon: <Sun aria-hidden /> },
  { value: "dark", label: "Dark", icon: <Moon aria-hidden /> },
  { value: "system", label: "System", icon: <Monitor aria-hidden /> },
];

interface Props {
  person: Person;
  theme: Theme;
  save: SavePreferences;
  signOut: () => Promise<void>;
}

/** Open from the start: it is made when somebody asks for it. */
export default function AccountMenu({ person, theme: initial, save, signOut }: Props) {
  const { theme, problem, choose } = useTheme(initial, save);
  return (
    <Menu trigger={<PersonButton person={person} />} label="Account" side="top" align="start" defaultOpen>
      <div className="px-2.5 pt-1 pb-1.5 text-sm">
        <div className="font-medium">{person.name}</div>
        <div className="text-ink-3 wrap-anywhere">{person.email}</div>
      </div>
      <MenuLine />
      <MenuChoices label="Theme" value={theme} onChange={(value) => choose(parseTheme(value))} choices={themes} />
      {problem ? (
        <p role="alert" className="max-w-64 px-2.5 pb-1.5 text-sm text-critical">
          {problem}
        </p>
      ) : null}
      <MenuLine />
      <MenuLink href="/settings">
        <Settings aria-hidden /> Settings
      </MenuLink>
      <MenuLink href="/docs">
        <BookOpen aria-hidden /> API reference
      </MenuLink>
      <MenuLine />
      <MenuItem onSelect={() => startTransition(signOut)}>
        <LogOut aria-hidden /> Sign out
      </MenuItem>
    </Menu>
  );
}
