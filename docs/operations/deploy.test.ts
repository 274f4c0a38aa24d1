import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { verifies } from "@/e2e/requirements";
import { createProgram } from "@/lib/cli/program";
import { parseEnv } from "@/lib/env";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const SYSTEMD = readdirSync(path.join(root, "deploy/systemd")).map((name) => `deploy/systemd/${name}`);
const UNITS = Object.fromEntries(SYSTEMD.map((file) => [path.basename(file), read(file)]));
const DOCKERFILE = read("deploy/Dockerfile");
const COMPOSE = parse(read("deploy/compose.yaml"), { merge: true }) as {
  services: Record<
    string,
    {
      build?: { context: string; dockerfile: string };
      command?: string[];
      environment?: Record<string, string>;
      env_file?: { path: string; required: boolean }[];
      volumes?: string[];
      depends_on?: Record<string, unknown>;
    }
  >;
};
const GUIDE = read("docs/operations.md");
const ALL: [string, string][] = [
  ["deploy/Dockerfile", DOCKERFILE],
  ["deploy/compose.yaml", read("deploy/compose.yaml")],
  ...SYSTEMD.map((file): [string, string] => [file, read(file)]),
];

/** Variables of Node, Next.js, Postgres and the compose file that are not ours to define. */
const OTHERS = ["NODE_ENV", "NEXT_TELEMETRY_DISABLED", "POSTGRES_USER", "POSTGRES_PASSWORD", "DATABASE_PASSWORD"];
const ENV_SOURCE = read("lib/env.ts");
const isKnown = (name: string) => OTHERS.includes(name) || new RegExp(`^  ${name}: `, "m").test(ENV_SOURCE);

describe.each(ALL)("%s", (_file, text) => {
  test(verifies("operations:deploy", "names files that exist"), () => {
    const named = [
      ...text.matchAll(/(?<![\w/.-])((?:\/opt\/kimitsu\/)?(?:scripts|lib|deploy|docs)\/[\w./-]+\.(?:mjs|ts|md|yaml))/g),
    ].map(([, file]) => file!.replace("/opt/kimitsu/", ""));
    expect(named.length + Number(text === DOCKERFILE)).toBeGreaterThan(0);
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  test(verifies("operations:deploy", "sets variables that are read"), () => {
    const set = [
      ...[...text.matchAll(/^\s*(?:Environment=|ENV )(.+)$/gm)].flatMap(([, pairs]) =>
        pairs!.split(/\s+/).map((pair) => pair.split("=")[0]!),
      ),
      ...[...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!),
      ...[...text.matchAll(/^ {4,6}([A-Z][A-Z_]+): /gm)].map(([, name]) => name!),
    ];
    expect(set.filter((name) => !isKnown(name))).toEqual([]);
  });
});

test(verifies("operations:deploy", "the image copies what is there, and runs scripts that are there"), () => {
  const copied = [...DOCKERFILE.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, names]) => names!.split(" "));
  expect(copied.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const run = [...DOCKERFILE.matchAll(/npm run (\S+)/g)].map(([, name]) => name!);
  expect(run.filter((name) => !(name in scripts))).toEqual([]);
  expect(DOCKERFILE).toMatch(/^USER kimitsu$/m);
});

test(
  verifies(
    "operations:deploy",
    "the services of the compose file build, mount and wait for what is there, with values that are accepted",
  ),
  () => {
    const { services } = COMPOSE;
    for (const [name, service] of Object.entries(services)) {
      if (service.build)
        expect(existsSync(path.join(root, "deploy", service.build.context, service.build.dockerfile)), name).toBe(true);
      for (const volume of service.volumes ?? [])
        if (volume.startsWith("."))
          expect(existsSync(path.join(root, "deploy", volume.split(":")[0]!)), volume).toBe(true);
      for (const other of Object.keys(service.depends_on ?? {})) expect(services).toHaveProperty(other);
      const fixed = Object.fromEntries(
        Object.entries(service.environment ?? {}).filter(([, value]) => !value.includes("${")),
      );
      expect(() => parseEnv(fixed), name).not.toThrow();
    }
    expect(Object.keys(services).sort()).toEqual(["migrate", "postgres", "web", "worker"]);
  },
);

test(
  verifies(
    "operations:deploy",
    "no process of the compose file is the database's superuser, and all get the project's variables",
  ),
  () => {
    const { postgres, ...ours } = COMPOSE.services;
    const script = read("deploy/postgres/create-owner.sh");
    expect(postgres!.volumes).toContain("./postgres/create-owner.sh:/docker-entrypoint-initdb.d/create-owner.sh:ro");
    for (const [name, { environment, env_file: files }] of Object.entries(ours)) {
      const url = new URL(environment!.DATABASE_URL!.replace(/\$\{DATABASE_PASSWORD[^}]*\}/, "0a1b"));
      expect(url.username, name).not.toBe(postgres!.environment!.POSTGRES_USER);
      expect(script, name).toContain(`CREATE ROLE ${url.username} LOGIN NOSUPERUSER`);
      expect(script, name).toContain(`CREATE DATABASE ${url.pathname.slice(1)} OWNER ${url.username};`);
      expect(files, name).toEqual([{ path: "project.env", required: false }]);
      expect(JSON.stringify(environment), name).not.toContain("POSTGRES_PASSWORD");
    }
    for (const ignored of [".gitignore", "deploy/Dockerfile.dockerignore"])
      for (const file of ["deploy/.env", "deploy/project.env"])
        expect(read(ignored).split("\n"), ignored).toContain(file);
  },
);

test(
  verifies("operations:deploy", "commands of the command line are ones that it has, with options that they have"),
  () => {
    const program = createProgram();
    const texts = [...ALL.map(([, text]) => text), GUIDE];
    const used = texts.flatMap((text) =>
      [...text.matchAll(/(?:npx kimitsu|scripts\/kimitsu\.mjs),? ([a-z][a-z-]*)(?: ([a-z]+))?([^\n`"]*)/g)].map(
        ([, command, sub, rest]) => ({ command: command!, sub, rest: rest! }),
      ),
    );
    expect(used.length).toBeGreaterThan(5);
    for (const { command, sub, rest } of used) {
      // Those two belong to the launcher and not to the program behind it.
      if (["start", "database-url"].includes(command)) continue;
      const found = program.commands.find((candidate) => candidate.name() === command);
      expect(found, command).toBeDefined();
      const target = found!.commands.find((candidate) => candidate.name() === sub) ?? found!;
      const options = target.options.map(({ long }) => long);
      for (const [option] of rest.matchAll(/--[a-z-]+/g)) expect(options, `${command} ${option}`).toContain(option);
    }
  },
);

test(
  verifies("operations:deploy", "units wait for units that are there, and hardening is the same for all that stay"),
  () => {
    for (const [name, text] of Object.entries(UNITS)) {
      for (const [, other] of text.matchAll(/^(?:Requires|After)=(kimitsu-\S+)$/gm))
        expect(Object.keys(UNITS), name).toContain(other);
      const folder = /^StateDirectory=(\S+)$/m.exec(text)?.[1];
      if (!name.includes("migrate")) expect(text, name).toContain(`KIMITSU_DATA=/var/lib/${folder}`);
      if (!name.includes("migrate"))
        for (const line of ["NoNewPrivileges=yes", "ProtectSystem=strict", "User=kimitsu"])
          expect(text, name).toContain(line);
    }
  },
);

test(
  verifies("operations:deploy", "no two processes share a folder, and a database that comes up late is waited for"),
  () => {
    expect(UNITS["kimitsu-worker@.service"]).toMatch(/^StateDirectory=\S+%i$/m);
    expect(new Set(Object.values(UNITS).flatMap((text) => text.match(/^StateDirectory=.+$/m) ?? [])).size).toBe(2);
    for (const line of [/^After=.*\bpostgresql\.service$/m, /^Restart=on-failure$/m])
      expect(UNITS["kimitsu-migrate.service"]).toMatch(line);
  },
);

test(verifies("operations:deploy", "the guide names variables that are read and files that are there"), () => {
  const variables = [...new Set(GUIDE.match(/\b(?:KIMITSU|AUTH|OTEL|DATABASE)_[A-Z0-9_]+\b/g) ?? [])].filter(
    (name) => !name.endsWith("_"),
  );
  // Read by the exporter of the SDK itself, as OpenTelemetry's specification has it.
  const standard = ["OTEL_EXPORTER_OTLP_HEADERS"];
  expect(variables.filter((name) => !isKnown(name) && !standard.includes(name))).toEqual([]);
  const linked = [...GUIDE.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => target!);
  expect(linked.filter((target) => !existsSync(path.join(root, "docs", target)))).toEqual([]);
});
