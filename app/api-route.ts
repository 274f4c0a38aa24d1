import { authenticateToken } from "@/lib/people/authenticate-token";
import { databaseWaiting, engineDeps } from "@/lib/database/deps";
import { createRoute } from "@/lib/http/route";

/** The one entry point for every route handler of the HTTP API. */
export const route = createRoute({
  databaseWaiting: () => databaseWaiting(engineDeps()),
  async authenticateToken(given) {
    const { user, id, name, scopes } = await authenticateToken(engineDeps(), given);
    return { user, token: { id, name, scopes }, address: given.address };
  },
});
