import { existsSync } from "node:fs";
import { hostname } from "node:os";
import type { HostPort } from "../core/ports.ts";
import { cleanLine } from "../text/clean.ts";

/** Variables set in SSH sessions and containers, by systemd, Kubernetes, dev containers and Codespaces. */
const remoteVariables = [
  "SSH_CONNECTION",
  "SSH_TTY",
  "container",
  "KUBERNETES_SERVICE_HOST",
  "REMOTE_CONTAINERS",
  "CODESPACES",
];
/** Files that Docker and Podman create in every container. */
const containerMarks = ["/.dockerenv", "/run/.containerenv"];

/**
 * Creates the host port from this process's environment, which a worker inherits from the agent that started it.
 * @param marks paths of files that only containers have
 */
export function createHost(
  env: NodeJS.ProcessEnv = process.env,
  name = hostname(),
  marks: readonly string[] = containerMarks,
): HostPort {
  return {
    elsewhere() {
      const isElsewhere = remoteVariables.some((variable) => env[variable]) || marks.some((mark) => existsSync(mark));
      return isElsewhere ? cleanLine(name.split(".")[0] ?? "") || undefined : undefined;
    },
  };
}
