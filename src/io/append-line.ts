import { constants } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { DeliveryError, errnoOf } from "../core/errors.ts";
import { makePrivateFolder } from "./private-file.ts";

/** Neither follows a link nor waits for a FIFO's reader. Not there on Windows. */
const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants;

/** As `FilesPort.appendLine` says. */
export async function appendLine(
  path: string,
  line: string,
  { maxBytes, kept }: { readonly maxBytes: number; readonly kept: number },
): Promise<void> {
  const bytes = Buffer.from(`${line}\n`);
  try {
    await makePrivateFolder(dirname(path));
    if (await append(path, bytes, maxBytes)) return;
    await setAside(path, kept);
    await append(path, bytes, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    const hint = "Check the path, who owns it, and the room on the disk.";
    throw new DeliveryError("rejected", `the file cannot be written (${errnoOf(error) ?? "unknown"})`, { hint });
  }
}

/** False, and nothing written, where the file would become too large. In one write, so that lines never mix. */
async function append(path: string, bytes: Buffer, maxBytes: number): Promise<boolean> {
  const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const sizeBytes = await ownSize(file);
    if (sizeBytes > 0 && sizeBytes + bytes.length > maxBytes) return false;
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten === bytes.length) return true;
    await file.truncate(sizeBytes); // half a line would spoil the next one
    throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
  } finally {
    await file.close();
  }
}

async function ownSize(file: FileHandle): Promise<number> {
  const stats = await file.stat();
  const isOwn = process.getuid === undefined || stats.uid === process.getuid();
  if (stats.isFile() && isOwn) return stats.size;
  throw new DeliveryError("rejected", "the path is no regular file of yours", { hint: "Give another `path`." });
}

async function setAside(path: string, kept: number): Promise<void> {
  for (let index = kept; index > 0; index -= 1) {
    const from = index === 1 ? path : `${path}.${index - 1}`;
    await rename(from, `${path}.${index}`).catch((error: unknown) => {
      if (errnoOf(error) !== "ENOENT") throw error;
    });
  }
}
