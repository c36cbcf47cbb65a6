import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { homeDirectory, resolvePaths, rootDirectory } from "../../src/files/paths.ts";

afterEach(() => vi.unstubAllEnvs());

describe.skipIf(process.platform === "win32")("the home folder", () => {
  test.each([
    ["/home/somebody", "/home/somebody"],
    ...["", "relative/home", ".", "~", undefined].map((home) => [home, userInfo().homedir]),
  ])("with HOME %j is %s", (home, expected) => {
    vi.stubEnv("HOME", home);
    expect(homeDirectory()).toBe(expected);
  });
});

describe("the root folder", () => {
  test("is an absolute BECKON_HOME, or below the home folder otherwise", () => {
    const home = { HOME: "/home/me", USERPROFILE: "/home/me" };
    const roots = ["/opt/beckon", "", ".beckon", "../x"].map((root) => rootDirectory({ ...home, BECKON_HOME: root }));
    const own = join("/home/me", ".beckon");
    expect([...roots, rootDirectory(home)]).toEqual(["/opt/beckon", own, own, own, own]);
  });
});

test("all paths are absolute, below the root, and different", () => {
  const paths = Object.values(resolvePaths("/r/beckon"));
  expect(paths.every((path) => isAbsolute(path) && path.startsWith(join("/r", "beckon")))).toBe(true);
  expect(new Set(paths).size).toBe(paths.length);
});
