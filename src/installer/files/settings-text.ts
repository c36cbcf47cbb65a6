import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { SettingsError } from "../../core/errors.ts";
import { lineAndColumn, type Position } from "../../text/jsonc.ts";

/** Largest settings file that is read, bytes. */
export const maxSettingsBytes = 5 * 1024 * 1024;

/** A file's complete content; undefined: there is no file. */
export type Content = Buffer | undefined;

/** Whether two contents are the same bytes, or both are none. */
export function sameContent(a: Content, b: Content): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

/** SHA-256 in hex. */
export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

const byteOrderMark = "\ufeff";

/** A settings file's bytes as text. */
export interface SettingsText {
  /** Without the byte-order mark. */
  readonly text: string;
  readonly hasMark: boolean;
}

/**
 * A settings file's bytes as text. Decodes strictly: what is not UTF-8 would not survive being written back.
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
    const hint = "Save it as UTF-8, then run this again. Nothing was changed.";
    throw new SettingsError("settings.encoding", file, `not UTF-8 at line ${line}, column ${column}`, hint);
  }
}

/** The position of the first byte that is not UTF-8. Decoding and encoding puts a replacement character there. */
function positionOfWrongByte(bytes: Uint8Array): Position {
  const replaced = Buffer.from(Buffer.from(bytes).toString("utf8"));
  const wrongAt = bytes.findIndex((byte, index) => byte !== replaced[index]);
  // `stream` leaves out a character that is cut at the end.
  const text = new TextDecoder().decode(bytes.subarray(0, wrongAt), { stream: true });
  return lineAndColumn(text, text.length);
}

/** The bytes of a text; the reverse of `decodeSettings`. */
export function encodeSettings({ text, hasMark }: SettingsText): Buffer {
  return Buffer.from((hasMark ? byteOrderMark : "") + text, "utf8");
}

/** Whether a file counts as empty: nothing but white space. */
export function isBlank({ text }: SettingsText): boolean {
  return /^\s*$/.test(text);
}
