import { lstatSync } from "node:fs";
import { hostname } from "node:os";
import { readQuietly } from "../../files/read-file.ts";

/** Name of the supported X11 authorization protocol. */
export const cookieName = "MIT-MAGIC-COOKIE-1";
const localFamily = 256;
const anyFamily = 65_535;

/**
 * Reads the access cookie for a display of this machine from the user's XAUTHORITY file; undefined if there is none.
 * https://man.archlinux.org/man/Xsecurity.7
 */
export function readCookie(file: string, display: string): Buffer | undefined {
  const isOwn = lstatSync(file, { throwIfNoEntry: false })?.uid === process.getuid?.();
  const entries = isOwn ? parseCookies(Buffer.from(readQuietly(file, "latin1") ?? "", "latin1")) : [];
  return entries.find(
    ({ family, address, number, name }) =>
      (family === anyFamily || (family === localFamily && address === hostname())) &&
      (number === display || number === "") &&
      name === cookieName,
  )?.data;
}

interface Cookie {
  readonly family: number;
  readonly address: string;
  readonly number: string;
  readonly name: string;
  readonly data: Buffer;
}

/** Parses an XAUTHORITY file. Each entry is an address family and four texts with their lengths, big-endian. */
export function parseCookies(bytes: Buffer): Cookie[] {
  const cookies: Cookie[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const family = bytes.readUInt16BE(at);
    at += 2;
    const texts: Buffer[] = [];
    for (let index = 0; index < 4; index += 1) {
      if (at + 2 > bytes.length) return cookies;
      const length = bytes.readUInt16BE(at);
      texts.push(bytes.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
    const [address = "", number = "", name = ""] = texts.map(String);
    cookies.push({ family, address, number, name, data: texts[3] ?? Buffer.alloc(0) });
  }
  return cookies;
}
