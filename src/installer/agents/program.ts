import type { Agent } from "../../core/agent.ts";
import type { ExecPort } from "../../core/ports.ts";
import { compareVersions, versionIn } from "../../cli/agents/versions.ts";

/** An agent's program, as far as it is on PATH. */
export interface FoundProgram {
  /** Absolute path. */
  readonly file: string;
  /** Absent where it did not say in time. */
  readonly version?: string;
}

/** An agent that takes longer to say its version is not waited for, milliseconds. */
const versionMs = 5_000;

/** Looks for an agent's program and asks it for its version. Never throws, never hangs. */
export async function findProgram(
  { settings }: Pick<Agent, "settings">,
  exec: ExecPort,
  timeoutMs = versionMs,
): Promise<FoundProgram | undefined> {
  const program = settings?.program;
  const file = program?.files.map((name) => exec.which(name)).find((found) => found !== undefined);
  if (file === undefined) return undefined;
  try {
    const request = { file, args: program?.versionArgs ?? ["--version"], timeoutMs };
    const { stdout, stderr } = await exec.run(request);
    const version = versionIn(stdout) ?? versionIn(stderr);
    return { file, ...(version !== undefined && { version }) };
  } catch {
    return { file }; // hung or not startable: its version is not known, and that is all there is to say
  }
}

/** What a version of an agent's program is too old for, in words; undefined where it is new enough or not known. */
export function tooOldFor({ settings }: Pick<Agent, "settings">, version: string | undefined): string | undefined {
  const floor = settings?.program?.floor;
  if (!floor || version === undefined || compareVersions(version, floor.version) >= 0) return undefined;
  return `${version} is older than ${floor.version}: ${floor.reason}`;
}
