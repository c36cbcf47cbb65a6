import { Buffer } from "node:buffer";
import { SettingsError } from "../../core/errors.ts";
import { lineAndColumn } from "../editors/json/document.ts";

/** Largest settings file that is read, bytes. */
export const maxSettingsBytes = 5 * 1024 * 1024;

const byteOrderMark = "\ufeff";

/** A settings file's bytes as text. */
export interface SettingsText {
  /** Without the byte-order mark. */
  readonly text: string;
  readonly hasMark: boolean;
}

/**
 * Decodes strictly: what is not UTF-8 would not survive being written back.
 * @throws {SettingsError} `settings.size`, `settings.encoding`
 */
export function decodeSettings(file: string, bytes: Uint8Array): SettingsText {
  if (bytes.length > maxSettingsBytes) {
    throw new SettingsError("settings.size", file, `${file}: larger than 5 MiB`, { hint: "Nothing was changed." });
  }
  const text = decode(file, bytes);
  const hasMark = text.startsWith(byteOrderMark);
  return { text: hasMark ? text.slice(1) : text, hasMark };
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const { line, column } = placeOfWrongByte(bytes);
    throw new SettingsError("settings.encoding", file, `${file}: not UTF-8 at line ${line}, column ${column}`, {
      hint: "Save it as UTF-8, then run this again. Nothing was changed.",
      cause,
    });
  }
}

/** Where the longest beginning that is UTF-8 ends. */
function placeOfWrongByte(bytes: Uint8Array): { line: number; column: number } {
  let [good, bad] = [0, bytes.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (beginningOf(bytes, middle) === undefined) bad = middle;
    else good = middle;
  }
  const text = beginningOf(bytes, good) ?? "";
  return lineAndColumn(text, text.length);
}

/** The first bytes as text, without a character that is cut at the end; undefined where they are not UTF-8. */
function beginningOf(bytes: Uint8Array, length: number): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
  } catch {
    return undefined; // which is what is asked
  }
}

/** The bytes of a text; the reverse of `decodeSettings`. */
export function encodeSettings({ text, hasMark }: SettingsText): Buffer {
  return Buffer.from((hasMark ? byteOrderMark : "") + text, "utf8");
}

/** Whether a file counts as `{}`: no byte in it but white space. */
export function isBlank({ text }: SettingsText): boolean {
  return /^\s*$/.test(text);
}
