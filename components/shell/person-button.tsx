"use client";

import type { ComponentProps } from "react";
import { ChevronsUpDown } from "lucide-react";
import { Avatar } from "@/components/ui/avatar";
import { describePerson, type Person } from "./person";

/** Who is signed in, at the foot of the navigation; it opens the account menu. */
export function PersonButton({ person, ...rest }: { person: Person } & Omit<ComponentProps<"button">, "className">) {
  return (
    <button
      type="button"
      {...rest}
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
}
