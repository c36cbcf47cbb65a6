import { chownSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isOwnSocket } from "../../../src/io/presence/own-socket.ts";

let folder: string;
let server: Server;
beforeEach(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "beckon-socket-"));
  server = createServer();
  await new Promise<void>((resolve) => server.listen(join(folder, "socket"), resolve));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a socket is this user's own, and nothing else at a path is", () => {
  const path = (name: string) => join(folder, name);
  expect(isOwnSocket(path("socket"))).toBe(true);
  writeFileSync(path("file"), "");
  symlinkSync(path("socket"), path("link"));
  for (const name of ["file", "link", "nothing", "socket/below"]) expect(isOwnSocket(path(name))).toBe(false);
});

test.runIf(process.getuid?.() === 0)(
  "a socket of another user's is not this user's own, but where that user is trusted",
  () => {
    const path = join(folder, "socket");
    chownSync(path, 65_534, 65_534);
    expect(isOwnSocket(path)).toBe(false);
    expect(isOwnSocket(path, [65_534])).toBe(true);
  },
);
