import * as fs from "node:fs";
import type { Readable } from "node:stream";
import { quietly } from "../core/quietly.ts";
import { clean } from "../text/clean.ts";

/** Regular file that is open for reading. */
export interface OpenFile {
  readonly sizeBytes: number;
  readonly inode: number;
  /** True if this user owns the file, and on Windows. */
  readonly isOwn: boolean;
  /** Reads `length` bytes from `offset` on; fewer only if the file ends earlier. */
  read(offset: number, length: number): Buffer;
  close(): void;
}

/** Maximum number of bytes to read of a text: 64 MiB. */
const maxTextBytes = 64 * 1024 * 1024;
const chunkBytes = 16 * 1024;

/**
 * Opens a regular file for reading. If the path is a pipe, does not wait for a writer.
 * @param path a link is followed unless `isOwnName` is set
 * @returns undefined if the path is a folder, a pipe or a device
 * @throws the system's error
 */
export function openFile(path: string, { isOwnName = false } = {}): OpenFile | undefined {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants; // Windows has only the first
  const descriptor = fs.openSync(path, O_RDONLY | O_NONBLOCK | (isOwnName ? O_NOFOLLOW : 0));
  const close = (): void => fs.closeSync(descriptor);
  const stats = fs.fstatSync(descriptor);
  if (!stats.isFile()) return void close();
  const read = (offset: number, length: number): Buffer => readRange(descriptor, offset, length);
  return { sizeBytes: stats.size, inode: stats.ino, isOwn: isOwn(stats), read, close };
}

/** Checks that the user owns a file. Always true on Windows, where the folder's access list protects its files. */
export function isOwn({ uid }: fs.Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** Lists the names in a folder; empty if the folder is missing or cannot be read. */
export function listQuietly(folder: string): string[] {
  return quietly(() => fs.readdirSync(folder)) ?? [];
}

/** Opens a regular file like `openFile`; undefined also if it is missing or cannot be read. */
export function openQuietly(path: string): OpenFile | undefined {
  return quietly(() => openFile(path));
}

/** Calls `use` with an open regular file and closes the file; undefined if it is missing or cannot be opened. */
export function withFile<Result>(path: string, use: (file: OpenFile) => Result): Result | undefined {
  const file = openQuietly(path);
  if (!file) return undefined;
  try {
    return use(file);
  } finally {
    file.close();
  }
}

/** Reads a regular file of this user with at most `maxBytes`; undefined for any other file, and for a link. */
export function readOwnText(path: string, maxBytes: number): string | undefined {
  const file = quietly(() => openFile(path, { isOwnName: true }));
  const isRead = file?.isOwn && file.sizeBytes <= maxBytes;
  const text = isRead ? quietly(() => file.read(0, file.sizeBytes).toString()) : undefined;
  file?.close();
  return text;
}

/**
 * Reads the text of a regular file, at most its first `maxBytes`; undefined if it is missing, is not a regular file, or
 * cannot be read.
 */
export function readQuietly(
  path: string,
  encoding: BufferEncoding = "utf8",
  maxBytes = maxTextBytes,
): string | undefined {
  if (!fs.existsSync(path)) return undefined; // a tenth of an error's time; half of all state files are missing
  return quietly(() => withFile(path, (file) => readText(file, maxBytes).toString(encoding)));
}

function readText({ sizeBytes, read }: OpenFile, maxBytes: number): Buffer {
  if (sizeBytes > 0) return read(0, Math.min(sizeBytes, maxBytes));
  const chunks: Buffer[] = []; // of a file in /proc, which reports no size
  for (let size = 0; size < maxTextBytes; size += chunkBytes) {
    const chunk = read(size, chunkBytes);
    chunks.push(chunk);
    if (chunk.length < chunkBytes) break;
  }
  return Buffer.concat(chunks);
}

/**
 * Reads `length` bytes of an open file from `offset` on; fewer only if the file ends earlier.
 * @param offset null continues after the last read, which is the only way for pipes and devices
 */
export function readRange(descriptor: number, offset: number | null, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let size = 0;
  for (let read = -1; read !== 0 && size < length; size += read) {
    read = fs.readSync(descriptor, buffer, size, length - size, offset === null ? null : offset + size);
  }
  return buffer.subarray(0, size);
}

/** Returns a text that changes when a file's inode, modification time or size changes; `none` if there is no file. */
export function fileVersion(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : "none";
}

/** Reads a stream to its end, or until it has more than `maxBytes`. */
export async function readStart(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

/**
 * Reads a stream to its end and keeps at most its last `maxBytes`, beginning at the start of a line. Returns a function
 * that returns the cleaned text.
 */
export function collectEnd(stream: Readable, maxBytes: number): () => string {
  let kept: Buffer = Buffer.alloc(0);
  let isCut = false;
  stream.on("data", (chunk: Buffer) => {
    const all = Buffer.concat([kept, chunk]);
    isCut ||= all.length > maxBytes;
    kept = all.subarray(-maxBytes);
  });
  stream.on("error", () => {}); // a broken pipe ends the output
  // Half a line may begin with half a secret, which masking would not recognize.
  return () => clean(new TextDecoder().decode(isCut ? kept.subarray(kept.indexOf("\n") + 1 || kept.length) : kept));
}
