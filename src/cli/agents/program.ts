import type { Agent } from "../../core/agent.ts";
import type { ExecPort } from "../../core/ports.ts";
import { versionIn } from "./versions.ts";

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
