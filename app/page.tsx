import { redirect } from "next/navigation";
import { requireSession } from "@/lib/people/session/session";
import type { Landing } from "@/lib/people/rules/preferences";

const ADDRESSES: Record<Landing, string> = {
  inbox: "/inbox",
  mine: "/inbox?mine=1",
  history: "/history",
  workflows: "/workflows",
  tools: "/tools",
  insights: "/insights",
};

export default async function HomePage(): Promise<never> {
  const { preferences } = await requireSession();
  redirect(ADDRESSES[preferences.landing]);
}
