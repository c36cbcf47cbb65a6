import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { readErrno } from "../core/errors.ts";
import { resolvePaths } from "../files/paths.ts";
import { fileVersion } from "../files/read-file.ts";
import { untrustedRoot } from "../files/root-access.ts";
import type { Config } from "./config.ts";
import { parseConfig } from "./parse.ts";

const maxConfigBytes = 1024 * 1024;

/**
 * Loads the user's configuration: the file's valid parts, or the defaults if there is no file. Refuses anything but a
 * regular file of at most 1 MiB in a private folder, because the file may name programs to run.
 */
export async function loadConfig(file: string): Promise<Config> {
  const read = readConfigFile(file);
  if (typeof read !== "object") return parseConfig(read);
  const { problem: message, hint = "The defaults apply until then." } = read;
  const finding = { level: "error", path: "", message, hint } as const;
  return { ...(await parseConfig(undefined)), findings: [finding] };
}

/**
 * Creates a function that returns the current configuration, and reads the file again only after changes.
 * @param onLoaded called with each configuration read
 */
export function configCache(file: string, onLoaded: (config: Config) => void = () => {}): () => Promise<Config> {
  let loadedVersion: string | undefined;
  let config: Promise<Config>;
  const load = async (): Promise<Config> => {
    const loaded = await loadConfig(file);
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

function readConfigFile(file: string): string | undefined | { readonly problem: string; readonly hint?: string } {
  const root = untrustedRoot(resolvePaths(dirname(file)));
  if (root) return { problem: `not read, since ${root.message}`, hint: root.cure };
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = readErrno(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined; // other commands report a missing folder
    const hint = `To make it readable: chmod 600 '${file}'. The defaults apply until then.`;
    return { problem: `the file cannot be read (${code})`, ...(code === "EACCES" && { hint }) };
  }
  try {
    const stats = fstatSync(descriptor);
    const hint = `To move it away: mv '${file}' '${file}.old'. The defaults apply until then.`;
    if (!stats.isFile()) return { problem: "not a regular file", hint };
    if (stats.size > maxConfigBytes) return { problem: "larger than 1 MiB", hint };
    return readFileSync(descriptor, "utf8").replace(/^\ufeff/, "");
  } finally {
    closeSync(descriptor);
  }
}
