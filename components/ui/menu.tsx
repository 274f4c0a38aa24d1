"use client";

import { DropdownMenu } from "radix-ui";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names";

const itemClass =
  "flex w-full cursor-pointer items-center gap-2.5 rounded-sm px-2.5 py-1.5 outline-none select-none data-highlighted:bg-sunken data-disabled:cursor-default data-disabled:text-ink-3 max-tablet:py-2.5 [&_svg]:size-4 [&_svg]:stroke-[1.7]";

interface MenuProps {
  trigger: ReactNode;
  label: string;
  side?: "top" | "bottom";
  align?: "start" | "end";
  defaultOpen?: boolean;
  children: ReactNode;
}

/** Not modal: a modal menu would put a style element into the page to stop scrolling, which our policy refuses. */
export function Menu({ trigger, label, side = "bottom", align = "end", defaultOpen, children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen={defaultOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      {/* Without a portal the menu stays in the landmark it belongs to; its position is fixed, so nothing clips it. */}
      <DropdownMenu.Content
        aria-label={label}
        side={side}
        align={align}
        sideOffset={6}
        collisionPadding={8}
        className="arrives z-40 min-w-52 rounded-lg border border-line-strong bg-panel p-1 text-left text-base whitespace-normal text-ink shadow-float"
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

export function MenuItem({
  onSelect,
  danger,
  children,
}: {
  onSelect: () => void;
  danger?: boolean;
  children: ReactNode;
}) {
  return (
    <DropdownMenu.Item onSelect={onSelect} className={classNames(itemClass, danger && "text-critical")}>
      {children}
    </DropdownMenu.Item>
  );
}

export function MenuLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <DropdownMenu.Item asChild className={itemClass}>
      <a href={href}>{children}</a>
    </DropdownMenu.Item>
  );
}

export function MenuChoices({
  label,
  value,
  onChange,
  choices,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  choices: readonly { value: string; label: string; icon: ReactNode }[];
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChange}>
      <DropdownMenu.Label className="px-2.5 pt-1.5 pb-0.5 text-xs text-ink-3">{label}</DropdownMenu.Label>
      {choices.map((choice) => (
        <DropdownMenu.RadioItem
          key={choice.value}
          value={choice.value}
          onSelect={(event) => event.preventDefault()}
          className={itemClass}
        >
          {choice.icon}
          {choice.label}
          <DropdownMenu.ItemIndicator className="ml-auto">
            <Check aria-hidden />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuLine() {
  return <DropdownMenu.Separator className="-mx-1 my-1 h-px bg-line" />;
}
