import { spawnSync } from "node:child_process";

/** True if this user is root. Other users become root in a user namespace. */
export const isRoot = process.getuid?.() === 0;

const namespaces = ["--net", "--mount", "--pid", "--fork", "--uts", "--ipc", "--mount-proc", "--kill-child"];

/** `unshare` options for namespaces isolated from the machine. */
export const unshareFlags: readonly string[] = isRoot ? namespaces : ["--user", "--map-root-user", ...namespaces];

/** Explains in half a sentence why such namespaces cannot be made here; undefined if they can. */
export function namespaceObstacle(): string | undefined {
  if (process.platform !== "linux") return "namespaces are Linux's, and this is no Linux";
  const { status, stderr, error } = spawnSync("unshare", [...unshareFlags, "ip", "link", "set", "lo", "up"], {
    encoding: "utf8",
  });
  if (status === 0) return undefined;
  const who = isRoot ? "root" : "an ordinary user";
  return `this machine does not let ${who} make namespaces: ${(error?.message ?? stderr).trim()}`;
}
