import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "../core/errors.ts";
import { pathsOf } from "../core/paths.ts";
import { untrustedRoot } from "../core/root-access.ts";
import type { Config } from "./config.ts";
import { parseConfig } from "./parse.ts";

const maxBytes = 1024 * 1024;

/**
 * Reads the user's configuration file: the defaults where there is none, the valid parts of one with mistakes. What is
 * not a regular file, or is larger than 1 MiB, is not read, nor is anything in a folder that is not this user's alone: it
 * may name programs to run.
 */
export async function loadConfig(file: string): Promise<Config> {
  const read = readConfigFile(file);
  if (typeof read !== "object") return parseConfig(read);
  const { problem: message, hint = "The defaults hold until then." } = read;
  const finding = { level: "error", path: "", message, hint } as const;
  return { ...(await parseConfig(undefined)), findings: [finding] };
}

function readConfigFile(file: string): string | undefined | { readonly problem: string; readonly hint?: string } {
  const root = untrustedRoot(pathsOf(dirname(file)));
  if (root) return { problem: `not read, since ${root.message}`, hint: root.cure };
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? undefined : { problem: `the file cannot be read (${errnoOf(error)})` };
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { problem: "not a regular file" };
    if (stats.size > maxBytes) return { problem: "larger than 1 MiB" };
    return readFileSync(descriptor, "utf8").replace(/^\ufeff/, "");
  } finally {
    closeSync(descriptor);
  }
}
