import { chownSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseCookies, readCookie } from "../../../src/io/presence/x11-cookie.ts";

const magic = "MIT-MAGIC-COOKIE-1";

function entry(family: number, ...texts: readonly (string | Buffer)[]): Buffer {
  const uint16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
  return Buffer.concat([uint16(family), ...texts.flatMap((text) => [uint16(text.length), Buffer.from(text)])]);
}

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "cookies-"));
  file = join(folder, "Xauthority");
});
afterEach(() => rmSync(folder, { recursive: true }));

const secret = Buffer.from([1, 200, 0, 255]);

test.each([
  ["of this machine and display", entry(256, hostname(), "7", magic, secret), secret],
  ["of this machine and any display", entry(256, hostname(), "", magic, secret), secret],
  ["of any machine", entry(65_535, "", "7", magic, secret), secret],
  ["of another display", entry(256, hostname(), "77", magic, secret), undefined],
  ["of another machine", entry(256, "other", "7", magic, secret), undefined],
  ["of an address on the network", entry(0, hostname(), "7", magic, secret), undefined],
  ["of another kind", entry(256, hostname(), "7", "XDM-AUTHORIZATION-1", secret), undefined],
])("a cookie %s", (_, bytes, expected) => {
  writeFileSync(file, Buffer.concat([entry(256, "first", "0", magic, "other"), bytes]));
  expect(readCookie(file, "7")).toEqual(expected);
});

test.runIf(process.getuid?.() === 0)("a file of another user's has no cookie", () => {
  writeFileSync(file, entry(65_535, "", "7", magic, secret));
  chownSync(file, 65_534, 65_534);
  expect(readCookie(file, "7")).toBeUndefined();
  expect(readCookie(join(folder, "none"), "7")).toBeUndefined();
});

test("any bytes are some cookies or none", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(65_535), fc.string(), fc.string())), fc.uint8Array(), (cookies, rest) => {
      const whole = cookies.map(([family, address, data]) =>
        entry(family, Buffer.from(address), "0", magic, Buffer.from(data)),
      );
      const found = parseCookies(Buffer.concat([...whole, rest]));
      expect(found.slice(0, cookies.length).map(({ family, address }) => [family, address])).toEqual(
        cookies.map(([family, address]) => [family, address]),
      );
    }),
  );
});
