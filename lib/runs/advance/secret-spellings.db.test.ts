import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { startHookServer } from "@/lib/testing/hook-server";
import { SECRET_SPELLINGS } from "@/lib/testing/secret-spellings";

const database = useDatabase();
const KEY = `s3ntinel/"it's"&\\+ü-key`;
const BETWEEN = "\n~~~~\n";

test.each([200, 400])(
  verifies("secrets:spellings", "what a server returns in every spelling with status %i is stored without the secret"),
  async (status) => {
    const target = await startHookServer(() => ({
      status,
      headers: { "content-type": "text/plain" },
      text: SECRET_SPELLINGS.map(({ write }) => write(KEY)).join(BETWEEN),
    }));
    const workflow = `kind: workflow\nname: main\nenv: [{ name: KEY, secret: true }]\npipeline:\n  - { id: notify, webhook: { url: ${JSON.stringify(target.url)}, method: GET, headers: { X-Key: "{{ env.KEY }}" } } }\n`;
    // A header carries only Latin-1, like this key.
    const bench = await openEngineBench(database, { script: "agents: {}\n", workflow, env: { KEY } });
    const [call] = (await bench.read(await bench.launch())).calls;
    const pieces = (call!.result as { body: string }).body.split(BETWEEN);
    expect(pieces.length).toBe(SECRET_SPELLINGS.length);
    expect(
      SECRET_SPELLINGS.filter((_spelling, index) => !pieces[index]!.includes("[secret")).map(({ name }) => name),
    ).toEqual([]);
  },
);
