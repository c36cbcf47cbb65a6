import type { Stats } from "node:fs";
import { constants, type FileHandle, lstat, open, readdir, realpath, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DeliveryError, readErrno } from "../core/errors.ts";
import { KeyedQueue } from "../core/keyed-queue.ts";
import type { FilesPort } from "../core/ports.ts";
import { makePrivateFolder } from "../files/atomic-file.ts";
import { isOwn } from "../files/read-file.ts";

const lineFeed = 0x0a;
/**
 * Flags for opening files. `O_NOFOLLOW` refuses symbolic links. `O_NONBLOCK` avoids waiting for a FIFO. Windows lacks
 * `O_NOFOLLOW`, `O_NONBLOCK` and `O_NOCTTY`.
 */
const { O_APPEND, O_CREAT, O_NOCTTY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants;

/** Largest number of bytes to read in one step: 256 KiB. */
const stepBytes = 256 * 1024;
/** Shortest line that is read whole if it begins before a tail: 64 KiB. */
const longTailLineBytes = 64 * 1024;
/** Maximum number of bytes to read of a file, whatever the length of its lines: 8 MiB, or 4 MiB for a tail. */
const maxScanBytes = 8 * 1024 * 1024;
const maxTailScanBytes = 4 * 1024 * 1024;
/** Maximum number of files or links to list. */
const maxListed = 1_000;

/**
 * Creates the port that reads parts of files and appends to files. Accepts only regular files that the user owns, also
 * through symbolic links that the user owns. Anything else (missing file, folder, FIFO, device, another user's file)
 * reads as undefined.
 */
export function createFiles(): FilesPort {
  // Append one line at a time to a file: only one call may rotate a full file, and some file systems (NFS, Wine) do
  // not append atomically.
  const turns = new KeyedQueue();
  return {
    readTail: (path, maxBytes) => readPart(path, (file, size) => readTailText(file, size, maxBytes)),
    readHead: (path, maxBytes) => readPart(path, (file, size) => readHeadText(file, size, maxBytes)),
    readFrom: (path, offset, maxBytes) => readPart(path, (file, size) => readLinesFrom(file, size, offset, maxBytes)),
    sizeBytes: (path) =>
      stat(path)
        .then((stats) => (isOwnFile(stats) ? stats.size : undefined))
        .catch(() => undefined),
    listFiles,
    isFolder: async (path) => (await stat(path).catch(() => undefined))?.isDirectory() === true,
    realPath: (path) => realpath(path).catch(() => undefined),
    async listLinks(path) {
      const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
      const links = entries.filter((entry) => entry.isSymbolicLink());
      return links.slice(0, maxListed).map(({ name }) => name);
    },
    appendLine: (path, line, rotation) => turns.run(path, () => appendLine(path, line, rotation)),
  };
}

/** Lists the files in a folder and its folders; empty if it is missing. */
async function listFiles(folder: string): ReturnType<FilesPort["listFiles"]> {
  const names = await readdir(folder, { recursive: true, encoding: "utf8" }).catch((): string[] => []);
  const found = names.slice(0, maxListed).map(async (name) => {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    return stats?.isFile() ? [{ path, modifiedAtMs: stats.mtimeMs }] : [];
  });
  return (await Promise.all(found)).flat();
}

async function readPart<Part>(
  path: string,
  readFrom: (file: FileHandle, sizeBytes: number) => Promise<Part>,
): Promise<Part | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await openOwn(path);
    if (file === undefined) return undefined;
    const stats = await file.stat();
    // Check again after opening, because another file may have replaced the first.
    return isOwnFile(stats) ? await readFrom(file, stats.size) : undefined;
  } catch {
    // A missing or unreadable transcript is normal: the event then has fewer facts.
    return undefined;
  } finally {
    // A failed close is harmless, because nothing was written.
    await file?.close().catch(() => undefined);
  }
}

/**
 * Opens a regular file that the user owns; undefined for any other file. Checks the file before opening, because
 * opening disturbs some devices. Never waits for the writer of a FIFO.
 */
async function openOwn(path: string): Promise<FileHandle | undefined> {
  if (!isOwnFile(await stat(path))) return undefined;
  const flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
  try {
    return await open(path, flags | O_NOFOLLOW);
  } catch (error) {
    // For a symbolic link, Linux and macOS return ELOOP, FreeBSD returns EMLINK.
    if (readErrno(error) !== "ELOOP" && readErrno(error) !== "EMLINK") throw error;
    return isOwn(await lstat(path)) ? await open(path, flags) : undefined;
  }
}

function isOwnFile(stats: Stats): boolean {
  return stats.isFile() && isOwn(stats);
}

/** Reads the lines at the end, with a long line that begins before the last `maxBytes`, and as much before it. */
async function readTailText(file: FileHandle, sizeBytes: number, maxBytes: number): Promise<string> {
  let [text, end, length] = ["", sizeBytes, maxBytes];
  for (;;) {
    const start = Math.max(0, end - length);
    if (start === 0) return (await readBytes(file, 0, end)).toString("utf8") + text;
    // Read one byte more, to see if the tail starts with a whole line.
    const bytes = await readBytes(file, start - 1, length + 1);
    const firstEnd = bytes.indexOf(lineFeed);
    const lines = firstEnd === -1 ? "" : bytes.toString("utf8", firstEnd + 1);
    text = lines + text;
    length -= lines.length;
    const isLong = (firstEnd === -1 ? bytes.length : firstEnd) >= longTailLineBytes;
    const lineStart = isLong ? await findLineStart(file, start, maxTailScanBytes) : start;
    if (lineStart === start || sizeBytes - lineStart > maxTailScanBytes) return text;
    text = (await readLongLine(file, lineStart, end)).text + text;
    end = lineStart;
  }
}

/** Reads whole lines from the beginning of the line at `offset` on, in steps. */
async function readLinesFrom(file: FileHandle, sizeBytes: number, offset: number, maxBytes: number) {
  const start = offset > sizeBytes ? 0 : await findLineStart(file, offset, maxScanBytes);
  let [text, end] = ["", start];
  while (text.length < maxBytes && end - start < maxScanBytes) {
    const bytes = await readBytes(file, end, Math.min(stepBytes, sizeBytes - end));
    const lineEnd = bytes.lastIndexOf(lineFeed) + 1;
    const lines = lineEnd > 0 ? { text: bytes.toString("utf8", 0, lineEnd), end: end + lineEnd } : undefined;
    const next = lines ?? (await readLongLine(file, end, sizeBytes));
    if (next.end === end) break;
    text += next.text;
    end = next.end;
  }
  return { text, end };
}

/** Finds the beginning of the line at an offset, at most about `maxBytes` before it; else returns the offset. */
async function findLineStart(file: FileHandle, offset: number, maxBytes: number): Promise<number> {
  for (let [end, length] = [offset, 1]; end > 0 && offset - end < maxBytes; length = stepBytes) {
    const start = Math.max(0, end - length);
    const last = (await readBytes(file, start, end - start)).lastIndexOf(lineFeed);
    if (last !== -1) return start + last + 1;
    if (start === 0) return 0;
    end = start;
  }
  return offset;
}

/**
 * Reads one line, in steps. Returns its end too: `start` if the line does not end before `limit`. A line of more than
 * `maxScanBytes` is dropped.
 */
async function readLongLine(file: FileHandle, start: number, limit: number) {
  const parts: Buffer[] = [];
  for (let end = start; end < limit; ) {
    const bytes = await readBytes(file, end, Math.min(stepBytes, limit - end));
    const lineEnd = bytes.indexOf(lineFeed) + 1;
    parts.push(lineEnd > 0 ? bytes.subarray(0, lineEnd) : bytes);
    end += lineEnd > 0 ? lineEnd : bytes.length;
    if (lineEnd > 0) return { text: Buffer.concat(parts).toString("utf8"), end };
    if (end - start > maxScanBytes) return { text: "", end };
    if (bytes.length === 0) break;
  }
  return { text: "", end: start };
}

async function readHeadText(file: FileHandle, sizeBytes: number, maxBytes: number): Promise<string> {
  const bytes = await readBytes(file, 0, Math.min(sizeBytes, maxBytes));
  return bytes.toString("utf8", 0, sizeBytes <= maxBytes ? bytes.length : bytes.lastIndexOf(lineFeed) + 1);
}

/** Reads `length` bytes, or fewer if the file was truncated. */
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

const appendLine: FilesPort["appendLine"] = async (path, line, { maxBytes, kept }) => {
  const bytes = Buffer.from(`${line}\n`);
  try {
    makePrivateFolder(dirname(path));
    if (await append(path, bytes, maxBytes)) return;
    await setAside(path, kept);
    await append(path, bytes, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    const hint = "Check the path, its owner, and the free disk space.";
    throw new DeliveryError("rejected", `the file cannot be written (${readErrno(error) ?? "unknown"})`, { hint });
  }
};

/**
 * Appends bytes in a single write, so that lines never mix. Returns false if a file with content would become too
 * large.
 */
async function append(path: string, bytes: Buffer, maxBytes: number): Promise<boolean> {
  const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const sizeBytes = await readOwnSize(file);
    if (sizeBytes > 0 && sizeBytes + bytes.length > maxBytes) return false;
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten === bytes.length) return true;
    await file.truncate(sizeBytes); // half a line would corrupt the next one
    throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
  } finally {
    await file.close();
  }
}

async function readOwnSize(file: FileHandle): Promise<number> {
  const stats = await file.stat();
  if (isOwnFile(stats)) return stats.size;
  throw new DeliveryError("rejected", "the path must be a regular file that you own", {
    hint: "Choose another `path`.",
  });
}

async function setAside(path: string, kept: number): Promise<void> {
  for (let index = kept; index > 0; index -= 1) {
    const from = index === 1 ? path : `${path}.${index - 1}`;
    await rename(from, `${path}.${index}`).catch((error: unknown) => {
      if (readErrno(error) !== "ENOENT") throw error;
    });
  }
}
