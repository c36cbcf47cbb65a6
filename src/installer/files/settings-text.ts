import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { SettingsError } from "../../core/errors.ts";
import { lineAndColumn, type Position } from "../../text/jsonc.ts";

/** Maximum size of a settings file, bytes. */
export const maxSettingsBytes = 5 * 1024 * 1024;

/** Complete content of a file; undefined for a missing file. */
export type Content = Buffer | undefined;

/** Compares two contents by bytes. Missing files are equal. */
export function sameContent(a: Content, b: Content): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

/** Computes a SHA-256 in hex. */
export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

const byteOrderMark = "\ufeff";

/** Decoded settings file. */
export interface SettingsText {
  /** Text without the byte-order mark. */
  readonly text: string;
  readonly hasMark: boolean;
}

/**
 * Decodes a settings file. Refuses invalid UTF-8, which would change when written back.
 * @throws {SettingsError} `settings.size`, `settings.encoding`
 */
export function decodeSettings(file: string, bytes: Uint8Array): SettingsText {
  if (bytes.length > maxSettingsBytes) throw new SettingsError("settings.size", file, "larger than 5 MiB");
  const text = decode(file, bytes);
  const hasMark = text.startsWith(byteOrderMark);
  return { text: hasMark ? text.slice(1) : text, hasMark };
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const { line, column } = positionOfWrongByte(bytes);
    const hint = "Save it as UTF-8, then try again. Nothing was changed.";
    throw new SettingsError("settings.encoding", file, `not UTF-8 at line ${line}, column ${column}`, hint);
  }
}

/** Finds the position of the first byte that is not UTF-8. There, decoding inserts a replacement character. */
function positionOfWrongByte(bytes: Uint8Array): Position {
  const replaced = Buffer.from(Buffer.from(bytes).toString("utf8"));
  const wrongAt = bytes.findIndex((byte, index) => byte !== replaced[index]);
  // `stream` ignores a character that is cut off at the end.
  const text = new TextDecoder().decode(bytes.subarray(0, wrongAt), { stream: true });
  return lineAndColumn(text, text.length);
}

/** Encodes a settings text, the reverse of `decodeSettings`. */
export function encodeSettings({ text, hasMark }: SettingsText): Buffer {
  return Buffer.from((hasMark ? byteOrderMark : "") + text, "utf8");
}

/** Checks if a file has only white space. */
export function isBlank({ text }: SettingsText): boolean {
  return /^\s*$/.test(text);
}
