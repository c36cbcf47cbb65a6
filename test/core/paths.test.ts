import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { homeDirectory, pathsOf, rootDirectory } from "../../src/core/paths.ts";

afterEach(() => vi.unstubAllEnvs());

describe.skipIf(process.platform === "win32")("the home folder", () => {
  test("is HOME where that is absolute", () => {
    vi.stubEnv("HOME", "/home/somebody");
    expect(homeDirectory()).toBe("/home/somebody");
  });

  test.each(["", "relative/home", ".", "~"])("is the passwd entry's where HOME is %j", (home) => {
    vi.stubEnv("HOME", home);
    expect(homeDirectory()).toBe(userInfo().homedir);
  });

  test("is the passwd entry's where HOME is not set", () => {
    vi.stubEnv("HOME", undefined);
    expect(homeDirectory()).toBe(userInfo().homedir);
  });
});

describe("the root folder", () => {
  test("is BECKON_HOME where that is absolute", () => {
    expect(rootDirectory({ BECKON_HOME: "/opt/beckon", HOME: "/home/me" })).toBe("/opt/beckon");
  });

  test.each(["", ".beckon", "../x", undefined])("is below the home folder where BECKON_HOME is %j", (value) => {
    const env = { HOME: "/home/me", USERPROFILE: "/home/me", ...(value !== undefined && { BECKON_HOME: value }) };
    expect(rootDirectory(env)).toBe(join("/home/me", ".beckon"));
  });
});

test("all paths are absolute, below the root, and different", () => {
  const paths = Object.values(pathsOf("/r/beckon"));
  expect(paths.every((path) => isAbsolute(path) && path.startsWith(join("/r", "beckon")))).toBe(true);
  expect(new Set(paths).size).toBe(paths.length);
});
