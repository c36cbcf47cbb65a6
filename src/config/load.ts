import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { replaceQuietly } from "../files/atomic-file.ts";
import { resolvePaths } from "../files/paths.ts";
import { fileVersion, readQuietly } from "../files/read-file.ts";
import { untrustedRoot } from "../files/root-access.ts";
import type { Config, Finding } from "./config.ts";
import { parseConfig } from "./parse.ts";

const maxConfigBytes = 1024 * 1024;

/**
 * Loads the user's configuration: the file's valid parts, or the defaults if there is no file. If it cannot be read, or
 * an error has left events without a notifier, loads the last file without an error. Refuses anything but a regular
 * file of at most 1 MiB in a private folder, because the file may name programs to run.
 * @param options.isKept true to keep a file without an error, for the time when the file has one
 */
export async function loadConfig(file: string, { isKept = false } = {}): Promise<Config> {
  const read = readConfigFile(file);
  const config = await parseConfig(typeof read === "object" ? undefined : read);
  const findings = typeof read === "object" ? [read] : config.findings;
  const hasError = findings.some(({ level }) => level === "error");
  if (isKept && typeof read === "string" && !hasError && read !== readLastGood(file))
    replaceQuietly(lastGoodFile(file), read);
  const kept = typeof read === "object" || config.standInRoutes.length > 0 ? readLastGood(file) : undefined;
  // The error may be in a change of what may be answered outside the agent.
  if (kept === undefined) return { ...config, findings };
  return { ...(await parseConfig(kept)), answers: undefined, findings: [...findings, lastGoodNote] };
}

/** Finding of a configuration that is the last file without an error. */
export const lastGoodNote: Finding = {
  level: "warning",
  path: "",
  message:
    "no change applies before the errors are corrected: the last file without an error is used, without `answers`",
};

function readLastGood(file: string): string | undefined {
  return untrustedRoot(resolvePaths(dirname(file))) ? undefined : readQuietly(lastGoodFile(file));
}

/** Returns a file beside the saved secrets, because a configuration may have some. */
function lastGoodFile(file: string): string {
  return join(dirname(file), "secrets", "config.jsonc");
}

/**
 * Creates a function that returns the current configuration, and reads the file again only after changes.
 * @param onLoaded called with each configuration read
 */
export function configCache(file: string, onLoaded: (config: Config) => void = () => {}): () => Promise<Config> {
  let loadedVersion: string | undefined;
  let config: Promise<Config>;
  const load = async (): Promise<Config> => {
    const loaded = await loadConfig(file, { isKept: true });
    onLoaded(loaded);
    return loaded;
  };
  return () => {
    const version = fileVersion(file);
    if (version !== loadedVersion) config = load();
    loadedVersion = version;
    return config;
  };
}

const untilThen = "Until then, the last file without an error applies, or else the defaults.";

/** Reads the file; undefined if there is none. Returns the reason if it cannot be read. */
function readConfigFile(file: string): string | undefined | Finding {
  const problem = (message: string, hint = untilThen): Finding => ({ level: "error", path: "", message, hint });
  const root = untrustedRoot(resolvePaths(dirname(file)));
  if (root) return problem(`not read, since ${root.message}`, root.cure);
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = readErrno(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined; // other commands report a missing folder
    const hint = code === "EACCES" ? `To make it readable: chmod 600 '${file}'. ${untilThen}` : untilThen;
    return problem(`the file cannot be read (${code})`, hint);
  }
  try {
    const stats = fstatSync(descriptor);
    const hint = `To move it away: mv '${file}' '${file}.old'. ${untilThen}`;
    if (!stats.isFile()) return problem("not a regular file", hint);
    if (stats.size > maxConfigBytes) return problem("larger than 1 MiB", hint);
    return readFileSync(descriptor, "utf8").replace(/^\ufeff/, "");
  } finally {
    closeSync(descriptor);
  }
}
