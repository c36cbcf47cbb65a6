import { Buffer } from "node:buffer";
import { SettingsError } from "../core/errors.ts";

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
    throw new SettingsError("settings.encoding", file, `${file}: not UTF-8`, {
      hint: "Save it as UTF-8, then run this again. Nothing was changed.",
      cause,
    });
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
