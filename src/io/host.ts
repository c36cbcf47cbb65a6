import { existsSync } from "node:fs";
import { hostname } from "node:os";
import type { HostPort } from "../core/ports.ts";
import { cleanLine } from "../text/clean.ts";

/** Variables of a session over SSH, and of containers: systemd's convention, Kubernetes, dev containers, Codespaces. */
const remoteVariables = [
  "SSH_CONNECTION",
  "SSH_TTY",
  "container",
  "KUBERNETES_SERVICE_HOST",
  "REMOTE_CONTAINERS",
  "CODESPACES",
];
/** Docker and Podman put these into every container, and set no variable. */
const containerMarks = ["/.dockerenv", "/run/.containerenv"];

/** What the host port depends on; default: this machine. */
export interface HostOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly name?: string;
  /** Paths of files that only a container has. */
  readonly marks?: readonly string[];
}

/** Host port. It goes by the environment, which a worker has from the agent whose hook started it. */
export function createHost({
  env = process.env,
  name = hostname(),
  marks = containerMarks,
}: HostOptions = {}): HostPort {
  return {
    elsewhere() {
      const isElsewhere = remoteVariables.some((variable) => env[variable]) || marks.some((mark) => existsSync(mark));
      return isElsewhere ? cleanLine(name.split(".")[0] ?? "") || undefined : undefined;
    },
  };
}
