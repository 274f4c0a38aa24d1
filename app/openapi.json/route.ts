import { route } from "@/app/api-route";
import { openApiDocument } from "@/lib/http/openapi";
import { getOpenApi } from "@/lib/http/schemas/health";

export const GET = route(getOpenApi, async () => ({ data: openApiDocument() }));
