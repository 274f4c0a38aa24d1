import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { FILES } from "@/lib/config/builtin/files";
import { assessDanger } from "@/lib/policy/danger";
import { openTestBuiltin, openTestFolder } from "@/lib/testing/builtin-server";
import { openBase } from "./base";
import { readBytes, withFile } from "./read";
import { startWalk, withFolder } from "./walk";
import { type Replaced, writeFile } from "./write";

let place: ReturnType<typeof openTestFolder>;
let files: ReturnType<typeof openTestBuiltin>;
const at = (...parts: string[]) => path.join(place.base, ...parts);

function open(params: Record<string, unknown> = {}, more: Partial<typeof place.deployment.files> = {}) {
  const deployment = { ...place.deployment, files: { ...place.deployment.files, ...more } };
  return openTestBuiltin({ name: "kimitsu/files", params: { allowed_base: place.base, ...params }, deployment });
}

beforeEach(() => {
  place = openTestFolder();
  files = open();
});

afterEach(async () => {
  await files.close();
  place.close();
});

/** What a server refuses, and what is not text and refused before it gets there. */
async function refusal(tool: string, input: Record<string, unknown>, server = files): Promise<string> {
  const result = await server.call(tool, input).catch((error: Error) => ({ is_error: true, error: error.message }));
  expect(result.is_error).toBe(true);
  return result.error ?? "";
}

const LEVELS = {
  read_file: "safe",
  file_exists: "safe",
  list_directory: "safe",
  search: "safe",
  write_file: "medium",
  create: "medium",
  move: "medium",
  delete_file: "high",
};

test(verifies("builtin:files", "each tool has its danger level, a typed input and a typed output"), async () => {
  const { tools, refused } = await files.list();
  expect(refused).toEqual([]);
  const levels = tools.map(({ name, annotations }) => [
    name,
    assessDanger(annotations, FILES.definition.tools[name]).level,
  ]);
  expect(Object.fromEntries(levels)).toEqual(LEVELS);
  for (const tool of tools) {
    expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(tool.outputSchema).toMatchObject({ type: "object" });
  }
});

describe("what it does", () => {
  test(verifies("builtin:files", "a file is written, read, moved, found and deleted"), async () => {
    expect(
      (await files.call("write_file", { path: "a/b/note.txt", content: "first\nsecond" })).structured_content,
    ).toMatchObject({ replaced: false, size_bytes: 12 });
    expect(await files.call("read_file", { path: "a/b/note.txt" })).toMatchObject({
      success: true,
      output: "first\nsecond",
    });
    expect((await files.call("move", { from: "a/b/note.txt", to: "kept.txt" })).success).toBe(true);
    expect((await files.call("file_exists", { path: "a/b/note.txt" })).output).toBe("false");
    expect((await files.call("file_exists", { path: "nowhere/at/all" })).output).toBe("false");
    expect((await files.call("file_exists", { path: at("kept.txt") })).structured_content).toMatchObject({
      exists: true,
      type: "file",
    });
    expect((await files.call("search", { content: "SECOND", ignore_case: true })).structured_content).toEqual({
      matches: [{ path: "kept.txt", line: 2, text: "second" }],
      stopped_because: null,
    });
    expect((await files.call("list_directory", {})).structured_content).toMatchObject({
      entries: [
        { name: "a", type: "directory" },
        { name: "kept.txt", type: "file", size_bytes: 12 },
      ],
      truncated: false,
    });
    await files.call("delete_file", { path: "kept.txt" });
    expect(readdirSync(place.base)).toEqual(["a"]);
  });

  test("a file is read in parts, and parts of characters are left for the next", async () => {
    writeFileSync(at("long.txt"), "äöü");
    expect((await files.call("read_file", { path: "long.txt", length: 3 })).structured_content).toMatchObject({
      content: "ä",
      next_offset: 2,
      sha256: null,
    });
    expect((await files.call("read_file", { path: "long.txt", offset: 2 })).structured_content).toMatchObject({
      content: "öü",
      next_offset: null,
    });
  });

  test("bytes that are not text are read and written as base64", async () => {
    writeFileSync(at("raw"), Buffer.from([0, 255, 1]));
    expect(await refusal("read_file", { path: "raw" })).toContain('encoding "base64"');
    expect((await files.call("read_file", { path: "raw", encoding: "base64" })).output).toBe("AP8B");
    await files.call("write_file", { path: "raw2", content: "AP8B", encoding: "base64" });
    expect(readFileSync(at("raw2"))).toEqual(Buffer.from([0, 255, 1]));
    expect(await refusal("write_file", { path: "raw3", content: "not base64!", encoding: "base64" })).toContain(
      "base64",
    );
  });

  test("create does not replace, and a move does not replace", async () => {
    writeFileSync(at("one"), "1");
    writeFileSync(at("two"), "2");
    expect(await refusal("create", { path: "one", content: "x" })).toContain("is there already");
    expect(await refusal("move", { from: "one", to: "two" })).toContain("is there already");
    expect([readFileSync(at("one"), "utf8"), readFileSync(at("two"), "utf8")]).toEqual(["1", "2"]);
  });

  test("a write that expects another content than there is changes nothing", async () => {
    await files.call("write_file", { path: "f", content: "old" });
    const { sha256 } = (await files.call("read_file", { path: "f" })).structured_content as { sha256: string };
    writeFileSync(at("f"), "changed by somebody");
    expect(await refusal("write_file", { path: "f", content: "new", expected_sha256: sha256 })).toContain(
      "changed since",
    );
    expect(readFileSync(at("f"), "utf8")).toBe("changed by somebody");
  });

  test(
    verifies(
      "builtin:files:atomic",
      "a write keeps the mode, replaces the file as a whole, and leaves nothing beside it",
    ),
    async () => {
      writeFileSync(at("run.sh"), "old");
      chmodSync(at("run.sh"), 0o750);
      linkSync(at("run.sh"), at("other-name"));
      await files.call("write_file", { path: "run.sh", content: "new" });
      expect(statSync(at("run.sh")).mode & 0o7777).toBe(0o750);
      expect(readFileSync(at("other-name"), "utf8")).toBe("old");
      expect(readdirSync(place.base).sort()).toEqual(["other-name", "run.sh"]);
    },
  );

  test(
    verifies(
      "builtin:files:kept",
      "what a change replaces is handed over before it is gone, and a change that cannot be kept does not happen",
    ),
    async () => {
      const kept: Replaced[] = [];
      let mayChange = true;
      const keeping = open(
        {},
        {
          keepReplaced: async (change) => {
            if (!mayChange) throw new Error("the disk is full");
            expect(existsSync(at("f")) ? readFileSync(at("f"), "utf8") : null).toBe(
              change.previous?.toString() ?? (change.operation === "move" ? "two" : null),
            );
            kept.push(change);
          },
        },
      );
      await keeping.call("write_file", { path: "f", content: "one" });
      await keeping.call("write_file", { path: "f", content: "two" });
      await keeping.call("move", { from: "f", to: "g" });
      await keeping.call("move", { from: "g", to: "f" }).catch(() => {});
      mayChange = false;
      writeFileSync(at("f"), "stays");
      expect((await keeping.call("delete_file", { path: "f" })).is_error).toBe(true);
      expect((await keeping.call("write_file", { path: "f", content: "x" })).is_error).toBe(true);
      expect(readFileSync(at("f"), "utf8")).toBe("stays");
      expect(readdirSync(place.base).filter((name) => name.includes("part"))).toEqual([]);
      expect(kept.slice(0, 3)).toMatchObject([
        { operation: "write_file", path: "f", previous: null, callId: "call_test" },
        { operation: "write_file", path: "f", previous: Buffer.from("one"), next: Buffer.from("two") },
        { operation: "move", path: "f", to: "g", previous: null },
      ]);
      await keeping.close();
    },
  );
});

describe("attacks", () => {
  const OUT = "outside of the allowed folder";
  test.each([
    ["..", 'contains ".."'],
    ["../secret", 'contains ".."'],
    ["a/../../secret", 'contains ".."'],
    ["/etc/passwd", OUT],
    ["a//b", "empty part"],
    ["./a", "empty part"],
    ["a\0b", "NUL"],
    ["\ud800", "surrogate"],
    ["x/".repeat(70) + "x", "parts"],
    ["x".repeat(300), "255 bytes"],
    ["", "allowed folder itself"],
  ])(verifies("builtin:files:confined", "the path %j is refused by every tool"), async (given, reason) => {
    expect(await refusal("read_file", { path: given })).toContain(reason);
    expect(await refusal("write_file", { path: given, content: "x" })).toContain(reason);
    expect(await refusal("delete_file", { path: given })).toContain(reason);
    expect(await refusal("move", { from: given, to: "to" })).toContain(reason);
    expect(await refusal("create", { path: given, content: "x" })).toContain(reason);
    if (given !== "") expect(await refusal("file_exists", { path: given })).toContain(reason);
    if (given !== "") expect(await refusal("list_directory", { path: given })).toContain(reason);
    if (given !== "") expect(await refusal("search", { path: given })).toContain(reason);
    expect(readdirSync(place.base)).toEqual([]);
  });

  test(verifies("builtin:files:confined", "a folder whose name begins with that of the base is outside"), async () => {
    mkdirSync(`${place.base}-evil`);
    writeFileSync(`${place.base}-evil/secret`, "secret");
    expect(await refusal("read_file", { path: `${place.base}-evil/secret` })).toContain(OUT);
    expect(await refusal("read_file", { path: `${place.base}/../base-evil/secret` })).toContain('contains ".."');
  });

  test(
    verifies("builtin:files:links", "a link is neither read, written, entered, searched nor deleted through"),
    async () => {
      writeFileSync(path.join(place.folder, "secret"), "SECRET");
      mkdirSync(at("real"));
      writeFileSync(at("real", "mine"), "mine");
      symlinkSync(path.join(place.folder, "secret"), at("leak"));
      symlinkSync(place.folder, at("out"));
      symlinkSync(at("real"), at("inside"));
      symlinkSync("/nowhere/new", at("dangling"));
      for (const given of ["leak", "out/secret", "inside/mine", "dangling"]) {
        expect(await refusal("read_file", { path: given })).toMatch(/link/);
        expect(await refusal("write_file", { path: given, content: "x" })).toMatch(/link/);
        expect(await refusal("delete_file", { path: given })).toMatch(/link/);
        expect(await refusal("move", { from: given, to: "taken" })).toMatch(/link/);
      }
      expect(await refusal("list_directory", { path: "out" })).toMatch(/link/);
      expect(await refusal("move", { from: "real/mine", to: "out/stolen" })).toMatch(/link/);
      expect((await files.call("search", { content: "SECRET" })).structured_content).toMatchObject({ matches: [] });
      expect((await files.call("list_directory", {})).structured_content).toMatchObject({
        entries: [
          { name: "dangling", type: "link" },
          { name: "inside", type: "link" },
          { name: "leak", type: "link" },
          { name: "out", type: "link" },
          { name: "real" },
        ],
      });
      expect(readFileSync(path.join(place.folder, "secret"), "utf8")).toBe("SECRET");
      expect(lstatSync(at("leak")).isSymbolicLink()).toBe(true);
    },
  );

  test(
    verifies("builtin:files:races", "exchanging a folder for a link while it is used leaks nothing, in 10,000 tries"),
    async () => {
      const outside = path.join(place.folder, "outside");
      mkdirSync(outside);
      writeFileSync(path.join(outside, "f"), "LEAK");
      mkdirSync(at("d"));
      writeFileSync(at("d", "f"), "mine");
      symlinkSync(outside, at("swap"));
      const swapper = new Worker(
        `const fs = require("node:fs"); const b = require("node:worker_threads").workerData;
       for (;;) try { fs.renameSync(b + "/d", b + "/t"); fs.renameSync(b + "/swap", b + "/d"); fs.renameSync(b + "/d", b + "/swap"); fs.renameSync(b + "/t", b + "/d"); } catch {}`,
        { eval: true, workerData: place.base },
      );
      const base = await openBase({ allowed_base: place.base, read_only_paths: [] }, place.deployment.files);
      const walk = await startWalk(base);
      const seen = { mine: 0, refused: 0, leaked: 0 };
      const tryBoth = async (index: number) => {
        const read = withFolder(walk, ["d"], (folder) => withFile(folder, "f", (file) => readBytes(file, 0, 10)));
        const text = await read.then(String, () => "refused");
        seen[text === "mine" ? "mine" : text === "refused" ? "refused" : "leaked"] += 1;
        // Each write waits for the disk, so that only some of the tries write as well.
        if (index % 20 > 0) return;
        const write = { content: Buffer.from("x"), isNew: false, expected: undefined, bytesMax: 10, callId: null };
        const keep = async () => {};
        await withFolder(walk, ["d"], (folder) =>
          writeFile({ folder, name: `w${index % 8}` }, { ...write, keep }),
        ).catch(() => {});
      };
      try {
        for (let round = 0; round < 10_000; round += 4)
          await Promise.all([0, 1, 2, 3].map((index) => tryBoth(round + index)));
      } finally {
        await swapper.terminate();
      }
      expect(seen.leaked).toBe(0);
      expect(readdirSync(outside)).toEqual(["f"]);
      // Both happened, so the swap was really under way.
      expect(Math.min(seen.mine, seen.refused)).toBeGreaterThan(0);
    },
  );

  test(
    verifies("builtin:files:special", "pipes, sockets, devices and files of the kernel are never opened"),
    async () => {
      expect(spawnSync("mkfifo", [at("pipe")]).status).toBe(0);
      const socket = createServer().listen(at("socket"));
      await new Promise((resolve) => socket.once("listening", resolve));
      for (const name of ["pipe", "socket"]) {
        expect(await refusal("read_file", { path: name })).toContain("a device, pipe or socket");
        expect(await refusal("write_file", { path: name, content: "x" })).toContain("a device, pipe or socket");
        expect(await refusal("delete_file", { path: name })).toContain("a device, pipe or socket");
        expect(await refusal("move", { from: name, to: "x" })).toContain("a device, pipe or socket");
      }
      expect((await files.call("search", { content: "x" })).structured_content).toMatchObject({ matches: [] });
      socket.close();
      for (const base of [
        "/",
        "/proc",
        "/proc/self",
        "/dev",
        "/sys/kernel",
        "/etc",
        "/proc/self/root",
        "/proc/self/cwd/..",
      ]) {
        const server = open({ allowed_base: base });
        await expect(server.call("read_file", { path: "f" })).rejects.toThrow(/system|outside|secrets/);
        await server.close();
      }
      symlinkSync("/proc/self", at("proc"));
      const through = open({ allowed_base: at("proc") });
      await expect(through.call("read_file", { path: "environ" })).rejects.toThrow("belongs to the system");
      await through.close();
    },
  );

  test(
    verifies(
      "builtin:files:read-only",
      "what is read-only is read and not changed, created in, or moved with its folder",
    ),
    async () => {
      mkdirSync(at("data", "ref"), { recursive: true });
      writeFileSync(at("data", "ref", "prices"), "1");
      writeFileSync(at("data", "reference"), "2");
      const server = open({ read_only_paths: [at("data", "ref"), at("later")] });
      expect((await server.call("read_file", { path: "data/ref/prices" })).output).toBe("1");
      for (const [tool, input] of [
        ["write_file", { path: "data/ref/prices", content: "x" }],
        ["create", { path: "data/ref/new", content: "x" }],
        ["create", { path: "data/ref/sub/new", content: "x" }],
        ["delete_file", { path: "data/ref/prices" }],
        ["move", { from: "data/ref/prices", to: "mine" }],
        ["move", { from: "data/reference", to: "data/ref/mine" }],
        ["move", { from: "data/ref", to: "mine" }],
        ["move", { from: "data", to: "mine" }],
        ["create", { path: "later", content: "x" }],
        ["create", { path: "later/x", content: "x" }],
      ] as const)
        expect(await refusal(tool, input, server), JSON.stringify(input)).toMatch(
          /can be read and not changed|no folder/,
        );
      expect((await server.call("write_file", { path: "data/reference", content: "3" })).success).toBe(true);
      expect(readdirSync(at("data", "ref"))).toEqual(["prices"]);
      await server.close();
    },
  );

  test(verifies("builtin:files:read-only", "another spelling of a protected file is the same file"), async () => {
    mkdirSync(at("ref"));
    writeFileSync(at("ref", "prices"), "1");
    // A second name of the same file, as on a file system that ignores case or Unicode forms.
    linkSync(at("ref", "prices"), at("PRICES"));
    const server = open({ read_only_paths: [at("ref", "prices")] });
    expect(await refusal("write_file", { path: "PRICES", content: "x" }, server)).toContain("not changed");
    await server.close();
  });

  test(verifies("builtin:files:exact", "case and Unicode forms of a name are other names"), async () => {
    await files.call("write_file", { path: "caf\u00e9", content: "one" });
    expect((await files.call("file_exists", { path: "cafe\u0301" })).output).toBe("false");
    expect((await files.call("file_exists", { path: "CAF\u00c9" })).output).toBe("false");
    for (const given of ["\uff0e\uff0e/secret", "..\u2215secret", "%2e%2e/secret", "..\\secret"])
      expect(await refusal("read_file", { path: given })).toMatch(/There is no/);
  });

  test(
    verifies(
      "builtin:files:own",
      "neither the secrets of the installation nor the definitions of the project can be reached or changed",
    ),
    async () => {
      writeFileSync(path.join(place.dataFolder, "secrets.json"), "SECRET");
      writeFileSync(path.join(place.projectFolder, "gateway.yaml"), "x");
      const wide = open({ allowed_base: place.folder });
      expect(await refusal("read_file", { path: "secrets/secrets.json" }, wide)).toContain(
        "secrets of this installation",
      );
      expect(await refusal("list_directory", { path: "secrets" }, wide)).toContain("secrets of this installation");
      expect(await refusal("move", { from: "secrets", to: "mine" }, wide)).toMatch(
        /secrets of this installation|not changed/,
      );
      expect((await wide.call("search", { content: "SECRET" })).structured_content).toMatchObject({ matches: [] });
      expect(await refusal("write_file", { path: "kimitsu/gateway.yaml", content: "y" }, wide)).toContain(
        "not changed",
      );
      expect(await refusal("create", { path: "kimitsu/policy.yaml", content: "y" }, wide)).toContain("not changed");
      expect(await refusal("create", { path: "kimitsu/agents/x.agent.yaml", content: "y" }, wide)).toMatch(
        /not changed|no folder/,
      );
      expect(await refusal("move", { from: "kimitsu", to: "old" }, wide)).toContain("not changed");
      await wide.close();
      const inside = open({ allowed_base: place.dataFolder });
      await expect(inside.call("read_file", { path: "secrets.json" })).rejects.toThrow("secrets of this installation");
      await inside.close();
    },
  );

  test(
    verifies("builtin:files:deployment", "a folder outside of the one that the deployment allows is refused"),
    async () => {
      mkdirSync(`${place.base}-evil`);
      symlinkSync(place.folder, at("up"));
      for (const base of [`${place.base}-evil`, place.folder, at("up"), path.join(place.base, "..")]) {
        const server = open({ allowed_base: base }, { confinedTo: place.base });
        await expect(server.call("list_directory", {})).rejects.toThrow("KIMITSU_FILES_BASE");
        await server.close();
      }
      const server = open({ allowed_base: "../base" }, { confinedTo: place.base });
      expect((await server.call("list_directory", {})).success).toBe(true);
      await server.close();
    },
  );

  test(
    verifies("builtin:files:limits", "large files, wide folders and deep trees are bounded, and the answer says so"),
    async () => {
      const server = open({ max_file_bytes: 10 });
      writeFileSync(at("large"), "x".repeat(11));
      expect((await server.call("read_file", { path: "large" })).structured_content).toMatchObject({
        content: "x".repeat(10),
        next_offset: 10,
      });
      expect(await refusal("write_file", { path: "new", content: "x".repeat(11) }, server)).toContain("at most 10");
      expect(await refusal("write_file", { path: "large", content: "x" }, server)).toContain("at most 10");
      expect(await refusal("delete_file", { path: "large" }, server)).toContain("at most 10");
      await server.close();
      mkdirSync(at("wide"));
      for (let index = 0; index < 1_100; index += 1) writeFileSync(at("wide", `f${index}`), "needle");
      const listed = (await files.call("list_directory", { path: "wide" })).structured_content as {
        entries: unknown[];
        truncated: boolean;
      };
      expect([listed.entries.length, listed.truncated]).toEqual([1_000, true]);
      const found = (await files.call("search", { content: "needle" })).structured_content as {
        matches: unknown[];
        stopped_because: string;
      };
      expect([found.matches.length, found.stopped_because]).toEqual([200, "more than 200 matches"]);
      mkdirSync(at("deep", ...Array.from({ length: 80 }, () => "d")), { recursive: true });
      expect((await files.call("search", { path: "deep", pattern: "**/nothing" })).structured_content).toMatchObject({
        matches: [],
        stopped_because: expect.stringContaining("deeper than 64"),
      });
    },
  );

  test("a pattern with many stars is matched without delay", async () => {
    writeFileSync(at("a".repeat(200)), "");
    const pattern = `${"*a".repeat(200)}b`;
    expect((await files.call("search", { pattern })).structured_content).toMatchObject({ matches: [] });
  });
});
