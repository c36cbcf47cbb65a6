import { readFileSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { ConfigError, DeliveryError, readErrno } from "../core/errors.ts";
import type { ExecPort } from "../core/ports.ts";
import { escapedReferencePattern, referencePattern } from "../core/secret.ts";
import { expandHome } from "../files/paths.ts";

const maxFileBytes = 64 * 1024;
const commandTimeoutMs = 2_000;

/**
 * Resolves `${env:NAME}`, `${file:PATH}` and `${command:PROGRAM ARGS}` in every text that consists of just one of
 * these. A file may have 64 KiB and, on POSIX, must be private to its owner. A command may take two seconds and runs
 * without a shell. A whole text `$${env:NAME}` becomes the text `${env:NAME}`.
 * @param path path of the value in the configuration, for errors
 * @returns the value with resolved references, and the resolved texts
 * @throws {ConfigError} with the path and the reference, never the value
 */
export async function resolveReferences(value: unknown, path: string, exec: ExecPort) {
  const secrets: string[] = [];
  const visit = async (inner: unknown, at: string): Promise<unknown> => {
    if (typeof inner === "string") {
      const [, source, name] = referencePattern.exec(inner) ?? [];
      if (source === undefined || name === undefined) return inner.replace(escapedReferencePattern, "$1");
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
      ? (Object.hasOwn(process.env, name) && process.env[name]) || ""
      : source === "file"
        ? readSecretFile(name, path)
        : await runSecretCommand(name, path, exec);
  if (found) return found;
  const hint =
    source === "env"
      ? "Set it where your agent starts, or use ${file:…}. The worker inherits the environment of the agent that started it."
      : "It must not be empty.";
  // A command's arguments may contain a secret.
  const shown = source === "command" ? `${name.split(/\s+/)[0]} …` : name;
  const what = source === "env" ? "is not set" : "is empty";
  throw new ConfigError(path, `${path}: \${${source}:${shown}} ${what}`, { hint });
}

function readSecretFile(name: string, path: string): string {
  const reference = `${path}: \${file:${name}}`;
  const file = expandHome(name);
  if (!isAbsolute(file)) throw new ConfigError(path, `${reference} is not an absolute path`);
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > maxFileBytes)
      throw new ConfigError(path, `${reference} is not a regular file of at most 64 KiB`);
    const open = process.platform !== "win32" && (stats.mode & 0o077) !== 0;
    if (open) throw new ConfigError(path, `${reference} can be read by other users`, { hint: `chmod 600 '${file}'` });
    return readFileSync(file, "utf8")
      .replace(/^\ufeff/, "")
      .trim();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const hint = "Write the value into that file, and make it readable by you alone (chmod 600).";
    throw new ConfigError(path, `${reference} cannot be read (${readErrno(error) ?? "unknown error"})`, { hint });
  }
}

async function runSecretCommand(line: string, path: string, exec: ExecPort): Promise<string> {
  const [file = "", ...args] = line.split(/\s+/);
  const reference = `${path}: \${command:${file} …}`;
  // A failure is reported as a missing setting, which is worth a retry, not as an unsupported or slow notifier.
  const ended = await exec.run({ file, args, timeoutMs: commandTimeoutMs }).catch((error: unknown) => {
    const why = error instanceof DeliveryError && error.reason === "timeout" ? "took too long" : "cannot be run";
    throw new ConfigError(path, `${reference} ${why}`, { hint: `To see why, run it yourself: ${file} …` });
  });
  if (ended.exitCode !== 0) throw new ConfigError(path, `${reference} exited with code ${ended.exitCode}`);
  return ended.stdout.trim();
}
