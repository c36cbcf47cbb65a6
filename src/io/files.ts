import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, stat } from "node:fs/promises";
import { errnoOf } from "../core/errors.ts";
import type { FilesPort } from "../core/ports.ts";
import { appendLine } from "./append-line.ts";

const lineFeed = 0x0a;
/** Not there on Windows, where nothing of the kind can block an open. */
const { O_NOCTTY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;

/**
 * Reads parts of this user's own regular files. A symbolic link is followed if this user made it and it leads to such a
 * file. Whatever else is at the path (nothing, a folder, FIFO, device, another user's file) gives undefined.
 */
export function createFiles(): FilesPort {
  return {
    readTail: (path, maxBytes) => readPart(path, (file, size) => tailOf(file, size, maxBytes)),
    readHead: (path, maxBytes) => readPart(path, (file, size) => headOf(file, size, maxBytes)),
    appendLine,
  };
}

async function readPart(
  path: string,
  read: (file: FileHandle, sizeBytes: number) => Promise<string>,
): Promise<string | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await openOwn(path);
    if (file === undefined) return undefined;
    const stats = await file.stat();
    // Asked again of the open file: the path may have led elsewhere by now.
    return isOwnFile(stats) ? await read(file, stats.size) : undefined;
  } catch {
    // A transcript that is not there or cannot be read is an ordinary thing; it means fewer facts.
    return undefined;
  } finally {
    // Nothing was written, so there is nothing that a failed close could have lost.
    await file?.close().catch(() => undefined);
  }
}

/** Looks before it opens, since opening alone disturbs some devices, and opens without waiting for a FIFO's writer. */
async function openOwn(path: string): Promise<FileHandle | undefined> {
  if (!isOwnFile(await stat(path))) return undefined;
  const flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
  try {
    return await open(path, flags | O_NOFOLLOW);
  } catch (error) {
    // What a link gives: Linux and macOS say ELOOP, FreeBSD EMLINK.
    if (errnoOf(error) !== "ELOOP" && errnoOf(error) !== "EMLINK") throw error;
    return isOwn(await lstat(path)) ? await open(path, flags) : undefined;
  }
}

function isOwnFile(stats: Stats): boolean {
  return stats.isFile() && isOwn(stats);
}

/** Windows has no owner to compare: what others may write is up to the folder's access list there. */
function isOwn(stats: Stats): boolean {
  return process.getuid === undefined || stats.uid === process.getuid();
}

async function tailOf(file: FileHandle, sizeBytes: number, maxBytes: number): Promise<string> {
  const start = Math.max(0, sizeBytes - maxBytes);
  if (start === 0) return (await readBytes(file, 0, sizeBytes)).toString("utf8");
  // One byte more shows whether the tail happens to start with a whole line.
  const bytes = await readBytes(file, start - 1, maxBytes + 1);
  const firstEnd = bytes.indexOf(lineFeed);
  return firstEnd === -1 ? "" : bytes.toString("utf8", firstEnd + 1);
}

async function headOf(file: FileHandle, sizeBytes: number, maxBytes: number): Promise<string> {
  const bytes = await readBytes(file, 0, Math.min(sizeBytes, maxBytes));
  return bytes.toString("utf8", 0, sizeBytes <= maxBytes ? bytes.length : bytes.lastIndexOf(lineFeed) + 1);
}

/** Fewer bytes than asked for where the file has become shorter. */
async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
