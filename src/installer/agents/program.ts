import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Agent } from "../../core/agent.ts";
import type { InstallEnvironment } from "../../core/agent-settings.ts";
import { parseObject, toObject } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { ExecPort } from "../../core/ports.ts";
import { listQuietly, readQuietly } from "../../files/read-file.ts";
import { compareVersions } from "../../text/version.ts";

/** Program of an agent on PATH. */
export interface FoundProgram {
  /** Absolute path. */
  readonly file: string;
  /** Version; absent if it could not be found out. */
  readonly version?: string;
}

/** Maximum time for a program to print its version, milliseconds. */
const versionTimeoutMs = 5_000;

/**
 * Finds an agent's program and its version, from its npm package or by running it. Never throws or hangs. The program
 * runs with a temporary home folder, so it leaves nothing behind.
 */
export async function findProgram(
  { settings }: Pick<Agent, "settings">,
  exec: ExecPort,
  timeoutMs = versionTimeoutMs,
): Promise<FoundProgram | undefined> {
  const file = settings?.program?.files.map((name) => exec.which(name)).find((found) => found !== undefined);
  if (file === undefined) return undefined;
  try {
    const version = packageVersion(file) ?? (await askVersion(file, exec, timeoutMs));
    return { file, ...omitUndefined({ version }) };
  } catch {
    return { file }; // hung or could not be started
  }
}

/**
 * Finds the second program of an agent, such as an editor extension, with the versions in its paths and the command that
 * registers its event; undefined if there is none on this machine.
 */
export function findOtherProgram(
  { name, settings }: Pick<Agent, "name" | "settings">,
  environment: InstallEnvironment,
) {
  const other = settings?.otherProgram;
  const found = other?.paths(environment).flatMap(listPaths) ?? [];
  if (!other || found.length === 0) return undefined;
  const versions = found.flatMap((path) => versionIn(basename(path)) ?? []);
  return { ...other, versions, command: `beckon install --agent ${name} --also ${other.event}` };
}

function listPaths(path: string): string[] {
  if (!path.endsWith("*")) return existsSync(path) ? [path] : [];
  const [folder, start] = [dirname(path), basename(path).slice(0, -1)];
  return listQuietly(folder).filter((name) => name.toLowerCase().startsWith(start));
}

/** Reads the version of the npm package that has the program in its `bin`; undefined for other programs. */
function packageVersion(file: string): string | undefined {
  const real = realpathSync(file);
  for (let folder = dirname(real); folder !== dirname(folder); folder = dirname(folder)) {
    const { bin, version } = parseObject(readQuietly(join(folder, "package.json")) ?? "") ?? {};
    const programs = typeof bin === "string" ? [bin] : Object.values(toObject(bin));
    const isItsOwn = programs.some((path) => typeof path === "string" && join(folder, path) === real);
    if (isItsOwn) return typeof version === "string" ? versionIn(version) : undefined;
  }
  return undefined;
}

/** Asks a program for its version, with a temporary home folder, because some programs create a settings folder. */
async function askVersion(file: string, exec: ExecPort, timeoutMs: number): Promise<string | undefined> {
  const home = mkdtempSync(join(tmpdir(), "beckon-version-"));
  const env = { HOME: home, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home };
  try {
    const { stdout, stderr } = await exec.run({ file, args: ["--version"], env, timeoutMs });
    return versionIn(stdout) ?? versionIn(stderr);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Tells if an agent may run command lines with the user's login shell, as old versions of some agents do. An unknown
 * version counts as old.
 */
export function mayRunLoginShell({ settings }: Pick<Agent, "settings">, version: string | undefined): boolean {
  const before = settings?.runsLoginShell?.before;
  return before !== undefined && (version === undefined || compareVersions(version, before) < 0);
}

/** Explains why a version of an agent is too old; undefined if it is new enough or unknown. */
export function tooOldFor({ settings }: Pick<Agent, "settings">, version: string | undefined): string | undefined {
  const minimum = settings?.program?.minimumVersion;
  if (!minimum || version === undefined || compareVersions(version, minimum.version) >= 0) return undefined;
  return `${version} is older than ${minimum.version}: ${minimum.reason}`;
}

/** Finds the first `n.n.n` in a text. */
export function versionIn(text: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}
