import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { SHELL } from "@/lib/config/builtin/shell";
import { assessDanger } from "@/lib/policy/danger";
import { openTestBuiltin, openTestFolder } from "@/lib/testing/builtin-server";
import { until } from "@/lib/testing/until";

let place: ReturnType<typeof openTestFolder>;
const opened: ReturnType<typeof openTestBuiltin>[] = [];
beforeEach(() => void (place = openTestFolder()));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
  place.close();
});

function open(params: Record<string, unknown> = {}, shell: Partial<typeof place.deployment.shell> = {}) {
  const deployment = { ...place.deployment, shell: { ...place.deployment.shell, ...shell } };
  const server = openTestBuiltin({
    name: "kimitsu/shell",
    params: { allowed_base: place.base, ...params },
    deployment,
  });
  opened.push(server);
  return server;
}

/** Whether this machine can sandbox at all, asked of bubblewrap itself and not of our code. */
const canSandbox =
  spawnSync("bwrap", ["--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "--proc", "/proc", "--", "true"])
    .status === 0;

const UNSANDBOXED = { bwrap: null, allowUnsandboxed: true };

describe("without a sandbox", () => {
  test(verifies("builtin:shell:refused", "commands are refused with what would help"), async () => {
    await expect(open({}, { bwrap: null }).call("bash_command", { command: ["true"] })).rejects.toThrow(
      "bubblewrap (bwrap) is not installed. Install bubblewrap, or set KIMITSU_ALLOW_UNSANDBOXED_SHELL=1",
    );
    await expect(open({}, { bwrap: "/bin/false" }).call("bash_command", { command: ["true"] })).rejects.toThrow(
      "bubblewrap does not work here",
    );
  });

  test(
    verifies(
      "builtin:shell",
      "a command that the deployment allows runs by its arguments, in its folder, with a clean environment",
    ),
    async () => {
      mkdirSync(path.join(place.base, "sub"));
      const shell = open({ environment: { GIVEN: "yes" } }, UNSANDBOXED);
      expect(await shell.call("bash_command", { command: ["pwd"], working_folder: "sub" })).toMatchObject({
        success: true,
        stdout: `${path.join(place.base, "sub")}\n`,
        stderr: "",
        exit_code: 0,
      });
      const { stdout } = await shell.call("bash_command", { command: ["env"] });
      expect(
        stdout!
          .trim()
          .split("\n")
          .map((line) => line.split("=")[0])
          .sort(),
      ).toEqual(["GIVEN", "HOME", "LANG", "PATH"]);
      expect(await shell.call("bash_command", { command: ["cat"], stdin: "in" })).toMatchObject({ stdout: "in" });
      expect(
        await shell.call("bash_command", { command: ["sh", "-c", "echo out; echo err >&2; exit 3"] }),
      ).toMatchObject({
        success: false,
        stdout: "out\n",
        stderr: "err\n",
        exit_code: 3,
        error: "out\n\nerr\n\nExit code 3.",
      });
    },
  );

  test(verifies("builtin:shell", "the tool is high in danger, with typed input and output"), async () => {
    const [tool] = (await open({}, UNSANDBOXED).list()).tools;
    expect(assessDanger(tool!.annotations, SHELL.definition.tools[tool!.name]).level).toBe("high");
    expect(tool).toMatchObject({ inputSchema: { additionalProperties: false }, outputSchema: { type: "object" } });
  });

  test(verifies("builtin:shell:arguments", "nothing in an argument is read by a shell"), async () => {
    const proof = path.join(place.base, "proof");
    const shell = open({}, UNSANDBOXED);
    for (const text of [
      `; touch ${proof}`,
      `$(touch ${proof})`,
      `\`touch ${proof}\``,
      `| touch ${proof}`,
      `\ntouch ${proof}`,
      `&& touch ${proof}`,
      `' ; touch ${proof} '`,
    ])
      expect((await shell.call("bash_command", { command: ["printf", "%s", text] })).stdout).toBe(text);
    expect((await shell.call("bash_command", { command: `touch ${proof}` })).error).toContain("as a list");
    expect((await shell.call("bash_command", { command: [`touch ${proof}`] })).is_error).toBe(true);
    for (const folder of ["..", "/etc", `sub; touch ${proof}`])
      expect((await shell.call("bash_command", { command: ["true"], working_folder: folder })).is_error).toBe(true);
    symlinkSync("/etc", path.join(place.base, "link"));
    expect((await shell.call("bash_command", { command: ["pwd"], working_folder: "link" })).error).toContain(
      "no folder",
    );
    expect(existsSync(proof)).toBe(false);
  });

  test(
    verifies(
      "builtin:shell:arguments",
      "only allowed commands run, a blocked one in no spelling of its path, and a shell takes neither list",
    ),
    async () => {
      const shell = open({ allowed_commands: ["echo", "git status"], blocked_commands: ["echo secret"] }, UNSANDBOXED);
      expect((await shell.call("bash_command", { command: ["echo", "hi"] })).stdout).toBe("hi\n");
      for (const command of [
        ["ls"],
        ["git", "push"],
        ["git"],
        ["/tmp/echo", "hi"],
        ["./echo"],
        ["echo", "secret"],
        ["/bin/echo", "secret"],
        ["--help"],
        [""],
      ])
        expect((await shell.call("bash_command", { command })).error, command.join(" ")).toMatch(
          /may not be run|must name a program/,
        );
      const text = open({ shell: true }, UNSANDBOXED);
      expect((await text.call("bash_command", { command: "echo $((1 + 1)) | cat" })).stdout).toBe("2\n");
      await expect(
        open({ shell: true, allowed_commands: ["ls"] }, UNSANDBOXED).call("bash_command", { command: "ls" }),
      ).rejects.toThrow("mean nothing with `shell: true`");
    },
  );

  test(verifies("builtin:shell:ended", "what lasts or prints too long is ended, with what it started"), async () => {
    const pidFile = path.join(place.base, "pid");
    const slow = open({ shell: true, timeout_seconds: 1 }, UNSANDBOXED);
    const ended = await slow.call("bash_command", { command: `sleep 1000 & echo $! > ${pidFile}; wait` });
    expect(ended).toMatchObject({ success: false, exit_code: 137, structured_content: { stopped_because: "timeout" } });
    const isAlive = () => {
      const status = spawnSync("ps", ["-o", "stat=", "-p", readFileSync(pidFile, "utf8").trim()])
        .stdout.toString()
        .trim();
      return status !== "" && !status.startsWith("Z");
    };
    await until(async () => isAlive(), { what: "the end of the process", isDone: (alive) => !alive });
    const loud = open({ max_output_bytes: 1_000 }, UNSANDBOXED);
    const result = await loud.call("bash_command", { command: ["yes"] });
    expect(result.structured_content).toMatchObject({ stopped_because: "output" });
    expect(result.stdout!.length).toBe(1_000);
    // A process that stays behind holds the output open; it is ended and not waited for.
    const behind = open({ shell: true }, UNSANDBOXED);
    await behind.call("bash_command", { command: `sleep 1000 >/dev/null 2>&1 & echo $! > ${pidFile}` });
    await until(async () => isAlive(), { what: "the end of the process", isDone: (alive) => !alive });
  });
});

test(
  verifies("builtin:shell:refused", "a machine that has no sandbox says so, and one that has it uses it"),
  async () => {
    const shell = open();
    if (canSandbox) expect((await shell.call("bash_command", { command: ["echo", "in"] })).stdout).toBe("in\n");
    else await expect(shell.call("bash_command", { command: ["true"] })).rejects.toThrow("only in a sandbox");
  },
);

/** Runs a script in the sandbox; where there is none, the refusal is what is verified. */
async function inSandbox(script: string, params: Record<string, unknown> = {}): Promise<string | null> {
  const shell = open({ shell: true, ...params });
  if (canSandbox) return (await shell.call("bash_command", { command: script })).stdout ?? "";
  await expect(shell.call("bash_command", { command: script })).rejects.toThrow("only in a sandbox");
  return null;
}

describe("out of the sandbox", () => {
  const expectSandboxed = (output: string | null, expected: string | RegExp) =>
    output === null ? expect(canSandbox).toBe(false) : expect(output).toMatch(expected);

  test(
    verifies("builtin:shell:sandbox", "only the allowed folder can be written, and what is outside of it is not there"),
    async () => {
      writeFileSync(path.join(place.folder, "outside"), "SECRET");
      writeFileSync(path.join(place.dataFolder, "key"), "SECRET");
      const script = `cat ${place.folder}/outside ${place.dataFolder}/key /etc/shadow /etc/passwd 2>/dev/null
      for f in /usr/x /etc/x /x /usr/bin/ls; do (echo 1 > $f) 2>/dev/null && echo WROTE $f; done
      ls / | tr "\\n" " "; echo mine > mine; echo done`;
      const output = await inSandbox(script);
      expectSandboxed(output, /done\n$/);
      expectSandboxed(output, /^(?![^]*(SECRET|root:|WROTE))[^]*$/);
      expect(
        existsSync("/usr/x") || existsSync("/etc/x") || existsSync("/x") || existsSync(path.join(place.folder, "x")),
      ).toBe(false);
      expect(existsSync(path.join(place.base, "mine"))).toBe(canSandbox);
    },
  );

  test(
    verifies("builtin:shell:sandbox", "definitions of the project and secrets inside the folder stay out of reach"),
    async () => {
      writeFileSync(path.join(place.dataFolder, "key"), "SECRET");
      const script = `cat ${place.dataFolder}/key; echo x > ${place.projectFolder}/policy.yaml; mv ${place.projectFolder} ${place.folder}/old; echo done`;
      expectSandboxed(await inSandbox(script, { allowed_base: place.folder }), /^done\n$/);
      expect(existsSync(path.join(place.projectFolder, "policy.yaml"))).toBe(false);
      expect(existsSync(place.projectFolder)).toBe(true);
    },
  );

  test(
    verifies(
      "builtin:shell:sandbox",
      "processes of this machine are neither seen, traced nor ended, and no descriptor is inherited",
    ),
    async () => {
      const output = await inSandbox(
        `ls /proc | grep -c "^[0-9]"; kill -9 ${process.pid} 2>&1 | grep -c "No such process"; cat /proc/${process.pid}/environ 2>/dev/null | wc -c; readlink /proc/self/fd/[3-9]* | grep -vc -e /dev/null -e /proc/; id -u; grep CapEff /proc/self/status`,
      );
      expectSandboxed(output, /^[1-9]\n1\n0\n0\n65534\nCapEff:\s+0+\n$/);
    },
  );

  test(verifies("builtin:shell:sandbox", "nothing can be mounted, and devices are not there"), async () => {
    const output = await inSandbox(
      `mount -t tmpfs none /usr 2>/dev/null && echo MOUNTED; mount -o remount,rw /usr 2>/dev/null && echo MOUNTED; ls /dev | grep -E "sda|nvme|mem|kmsg"; chroot / true 2>/dev/null && echo CHROOT; echo done`,
    );
    expectSandboxed(output, /^done\n$/);
  });

  test(verifies("builtin:shell:sandbox", "there is no network unless the project says so"), async () => {
    const script = `tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " " | sort | tr "\\n" " "`;
    expectSandboxed(await inSandbox(script), /^lo $/);
    const host = spawnSync("bash", ["-c", script]).stdout.toString();
    const shared = await inSandbox(script, { network: true });
    if (shared !== null) expect(shared).toBe(host);
  });

  test(verifies("builtin:shell:ended", "a process that left its group ends with the sandbox"), async () => {
    const mark = `sleep 98${process.pid}`;
    await inSandbox(`setsid ${mark} >/dev/null 2>&1 & sleep 0.2; echo started`);
    await until(async () => spawnSync("ps", ["-eo", "args"]).stdout.toString(), {
      what: "the end of the process",
      isDone: (all) => !all.includes(mark),
    });
  });
});
