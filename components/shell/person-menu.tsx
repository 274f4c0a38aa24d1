"use client";

import { startTransition, useState } from "react";
import { BookOpen, ChevronsUpDown, LogOut, Monitor, Moon, Settings, Sun } from "lucide-react";
import { applyTheme, parseTheme, type Theme } from "@/components/theme/theme";
import { Avatar } from "@/components/ui/avatar";
import { Menu, MenuChoices, MenuItem, MenuLine, MenuLink } from "@/components/ui/menu";
import { describePerson, type Person } from "./person";

const themes = [
  { value: "light", label: "Light", icon: <Sun aria-hidden /> },
  { value: "dark", label: "Dark", icon: <Moon aria-hidden /> },
  { value: "system", label: "System", icon: <Monitor aria-hidden /> },
];

interface Props {
  person: Person;
  theme: Theme;
  signOut: () => Promise<void>;
}

export function PersonMenu({ person, theme: initial, signOut }: Props) {
  const [theme, setTheme] = useState(initial);
  function choose(value: string) {
    const next = parseTheme(value);
    setTheme(next);
    applyTheme(next);
  }
  const trigger = (
    <button
      type="button"
      className="flex w-full items-center gap-2.5 rounded-[6px] px-1.5 py-1.5 text-left text-sm hover:bg-panel data-[state=open]:bg-panel max-wide:justify-center"
    >
      <Avatar name={person.name} />
      <span className="grid min-w-0 flex-1 leading-[1.35] max-wide:sr-only">
        <span className="truncate text-ink">{person.name}</span>
        <span className="truncate text-ink-3">{describePerson(person)}</span>
        <span className="sr-only">Account menu</span>
      </span>
      <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-ink-3 max-wide:hidden" />
    </button>
  );
  return (
    <Menu trigger={trigger} label="Account" side="top" align="start">
      <div className="px-2.5 pt-1 pb-1.5 text-sm">
        <div className="font-medium">{person.name}</div>
        <div className="text-ink-3 wrap-anywhere">{person.email}</div>
      </div>
      <MenuLine />
      <MenuChoices label="Theme" value={theme} onChange={choose} choices={themes} />
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
