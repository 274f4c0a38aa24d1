import type { ReactNode } from "react";
import { Seal } from "@/components/ui/seal";

/** A page that has only something to say: not found, failed. */
export function MessagePage({ title, children, actions }: { title: string; children: ReactNode; actions: ReactNode }) {
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-110 content-center gap-6 px-5 py-10">
      <Seal className="size-9" />
      <div className="grid gap-2">
        <h1 className="text-xl font-semibold tracking-[-0.015em]">{title}</h1>
        <div className="grid gap-2 text-ink-2 text-pretty">{children}</div>
      </div>
      <div className="flex flex-wrap gap-2">{actions}</div>
    </main>
  );
}
