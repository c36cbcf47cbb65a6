import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ConfigError } from "../core/errors.ts";
import { homeDirectory } from "../core/paths.ts";
import type { ExecPort } from "../core/ports.ts";
import { referencePattern } from "../core/secret.ts";

/** Settings with their references resolved, and every text that came out of one. */
export interface Resolved {
  readonly value: unknown;
  readonly secrets: readonly string[];
}

/**
 * Resolves `${env:NAME}`, `${file:PATH}` and `${command:PROGRAM ARGS}` wherever they stand for a whole text.
 * @param path where in the configuration the value is, for errors
 * @throws {ConfigError} naming the place and the reference, never what it holds
 */
export async function resolveReferences(value: unknown, path: string, exec: ExecPort): Promise<Resolved> {
  const secrets: string[] = [];
  const visit = async (inner: unknown, at: string): Promise<unknown> => {
    if (typeof inner === "string") {
      const [, source, name] = referencePattern.exec(inner) ?? [];
      if (source === undefined || name === undefined) return inner;
      const secret = await resolveOne(source, name.trim(), at, exec);
      secrets.push(secret);
      return secret;
    }
    if (Array.isArray(inner)) return Promise.all(inner.map((item, index) => visit(item, `${at}[${index}]`)));
    if (typeof inner !== "object" || inner === null) return inner;
    const entries = Object.entries(inner).map(async ([key, item]) => [key, await visit(item, `${at}.${key}`)] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
  return { value: await visit(value, path), secrets };
}

async function resolveOne(source: string, name: string, path: string, exec: ExecPort): Promise<string> {
  const found =
    source === "env"
      ? process.env[name]
      : source === "file"
        ? readSecretFile(name, path)
        : await runSecretCommand(name, path, exec);
  if (found) return found;
  const hint =
    source === "env"
      ? "Set it where your agent starts, or use ${file:…}: the worker has the environment of the agent that woke it."
      : "It must not be empty.";
  throw new ConfigError(path, `${path}: \${${source}:${name}} gives nothing`, { hint });
}

function readSecretFile(name: string, path: string): string {
  const file = name.startsWith("~/") ? join(homeDirectory(), name.slice(2)) : name;
  if (!isAbsolute(file)) throw new ConfigError(path, `${path}: \${file:${name}} is not an absolute path`);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > 64 * 1024)
    throw new ConfigError(path, `${path}: \${file:${name}} is no small regular file`);
  const open = process.platform !== "win32" && (stats.mode & 0o077) !== 0;
  if (open)
    throw new ConfigError(path, `${path}: \${file:${name}} can be read by others`, { hint: `chmod 600 ${file}` });
  return readFileSync(file, "utf8").trim();
}

async function runSecretCommand(line: string, path: string, exec: ExecPort): Promise<string> {
  const [file = "", ...args] = line.split(/\s+/);
  const { exitCode, stdout } = await exec.run({ file, args, timeoutMs: 2_000 });
  if (exitCode !== 0) throw new ConfigError(path, `${path}: \${command:${file} …} ended with exit code ${exitCode}`);
  return stdout.trim();
}
