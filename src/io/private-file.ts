import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file of beckon's own, whole or not at all, flushed to the disk. Default mode 0600; missing folders 0700. */
export async function writePrivateFile(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await makePrivateFolder(dirname(path));
  await replaceFile(path, content, mode);
  await flushFolder(dirname(path));
}

/** Writes a file whole or not at all, into an existing folder: a temporary file beside it is flushed and renamed. */
export async function replaceFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const temp = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    await writeNewFile(temp, typeof content === "string" ? Buffer.from(content) : content, mode);
    await rename(temp, path);
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  }
}

/**
 * Creates a file, which must not exist, and resolves once all its bytes are on the disk. Continues after a short write:
 * a nearly full disk takes part of the bytes and reports success.
 */
export async function writeNewFile(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  await writeWhole(await open(path, "wx", mode), bytes, mode);
}

/** Fills a file that was opened empty, like `writeNewFile`, and closes it. */
export async function writeWhole(handle: FileHandle, bytes: Uint8Array, mode: number): Promise<void> {
  try {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, written, bytes.length - written);
      if (bytesWritten === 0) throw new Error("the disk takes no more bytes");
      written += bytesWritten;
    }
    // The mode given to open is cut by the umask.
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a folder and its missing parents, 0700. Returns the outermost one created, or undefined if none was. */
export async function makePrivateFolder(path: string): Promise<string | undefined> {
  return mkdir(path, { recursive: true, mode: 0o700 });
}

/** Flushes a folder to the disk, so that a rename in it survives a power failure. */
export async function flushFolder(path: string): Promise<void> {
  // Windows cannot open folders, and does not need to.
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
