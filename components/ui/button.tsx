import type { ComponentProps } from "react";
import { classNames } from "./class-names";

const base =
  "inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap transition-colors select-none disabled:opacity-55 aria-disabled:opacity-55 disabled:cursor-not-allowed aria-disabled:cursor-not-allowed [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:stroke-[1.7]";

const variants = {
  /** The main action of a view: ink, never a colour. */
  primary: "bg-ink text-paper border-ink enabled:hover:bg-ink/88",
  plain: "bg-panel text-ink border-line-strong enabled:hover:bg-sunken",
  quiet: "border-transparent text-ink-2 hover:bg-sunken hover:text-ink",
  /** Takes something away; the word on it must say what. */
  danger: "bg-panel text-critical border-critical/45 enabled:hover:bg-critical-soft",
};

const sizes = {
  medium: "h-9 px-3.5 text-[13.5px] max-tablet:h-10",
  small: "h-7.5 px-2.5 text-sm max-tablet:h-9",
  icon: "size-7.5 max-tablet:size-9",
};

/** For a button that is disabled for the moment in which it appears: it already looks enabled. */
export const stillClass = "aria-disabled:opacity-100 aria-disabled:cursor-default";

export interface ButtonLook {
  variant?: keyof typeof variants;
  size?: keyof typeof sizes;
}

/** The look alone, for links that act like buttons. */
export function buttonClass({ variant = "plain", size = "medium" }: ButtonLook = {}, extra?: string): string {
  return classNames(base, variants[variant], sizes[size], extra);
}

export function Button({ variant, size, className, type = "button", ...rest }: ComponentProps<"button"> & ButtonLook) {
  return <button type={type} className={buttonClass({ variant, size }, className)} {...rest} />;
}
