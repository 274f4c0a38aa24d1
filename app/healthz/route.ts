import { route } from "@/app/api-route";
import { getHealth } from "@/lib/http/schemas/health";

export const GET = route(getHealth, async () => ({ data: { status: "ok" as const } }));
