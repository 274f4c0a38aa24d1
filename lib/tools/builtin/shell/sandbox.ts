/** The command line of bubblewrap: what a command sees of this machine. Everything that is not named here is not there. */
import { existsSync } from "node:fs";
import { type Base, isIn } from "@/lib/tools/builtin/files/base";

export interface Sandbox {
  /** The program `bwrap`. */
  bwrap: string;
  base: Base;
  hasNetwork: boolean;
}

/** Its own processes, users, messages, host name and network; ends with us; no right of root; no terminal of ours. */
const APART = (
  "--unshare-all --unshare-user --die-with-parent --new-session --cap-drop ALL --uid 65534 --gid 65534 " +
  "--hostname sandbox --proc /proc --dev /dev --tmpfs /tmp"
).split(" ");
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"];
const NETWORK = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl",
  "/etc/ca-certificates",
  "/etc/pki",
];

const readOnly = (each: string): string[] => ["--ro-bind-try", each, each];

/** The order matters: what comes later lies over what came before. */
export function sandboxed(
  { bwrap, base, hasNetwork }: Sandbox,
  { argv, cwd }: { argv: readonly string[]; cwd: string },
): string[] {
  const isOver = (each: string) => isIn(base.real, each) && each !== base.real && existsSync(each);
  const network = hasNetwork ? ["--share-net", ...NETWORK.flatMap(readOnly)] : [];
  const folder = ["--bind", base.real, base.real];
  const kept = [base.project, ...base.readOnly].filter(isOver).flatMap(readOnly);
  const hidden = base.hidden.filter(isOver).flatMap((each) => ["--tmpfs", each]);
  const start = ["--remount-ro", "/", "--chdir", cwd, "--"];
  return [bwrap, ...APART, ...SYSTEM.flatMap(readOnly), ...network, ...folder, ...kept, ...hidden, ...start, ...argv];
}
