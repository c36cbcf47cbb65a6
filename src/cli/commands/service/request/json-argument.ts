import { readFile, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { errnoOf } from "../../../../core/errors.ts";
import { UsageError } from "../../../errors.ts";

const maxBytes = 1024 * 1024;
const hint = `Give it as '{"name": "value"}', @file, or @- for standard input.`;

/**
 * The value of an option that takes JSON: as text, `@file`, or `@-` for standard input; 1 MiB at most.
 * @param folder where a relative path begins
 * @throws {UsageError} that does not quote the text, which may contain secrets
 */
export async function readJsonArgument(flag: string, text: string, folder: string): Promise<unknown> {
  const source = text.startsWith("@") ? await readSource(flag, text.slice(1), folder) : text;
  try {
    return JSON.parse(source.replace(/^\ufeff/, ""));
  } catch {
    // The error would quote the text.
    throw new UsageError(`${flag} is not valid JSON`, hint);
  }
}

async function readSource(flag: string, name: string, folder: string): Promise<string> {
  try {
    if (name === "-") return await readStdin(flag);
    const file = isAbsolute(name) ? name : join(folder, name);
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > maxBytes) throw tooLarge(flag);
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${flag}: ${name} cannot be read (${errnoOf(error) ?? "unknown error"})`, hint);
  }
}

async function readStdin(flag: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(flag);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tooLarge(flag: string): UsageError {
  return new UsageError(`${flag} takes at most 1 MiB, from a regular file or standard input`, hint);
}
