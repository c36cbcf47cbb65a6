import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { resolveReferences } from "../../src/config/references.ts";
import { ConfigError } from "../../src/core/errors.ts";
import { createExec } from "../../src/io/exec.ts";
import { useFolder } from "../world/fresh-folder.ts";

const canary = "canary-4711-canary";
const exec = createExec();

const at = useFolder();

function file(name: string, content: string, mode = 0o600): string {
  const path = at(name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

function program(name: string, script: string): string {
  return file(name, `#!/bin/sh\n${script}\n`, 0o700);
}

async function catchError(value: unknown): Promise<ConfigError> {
  const error: unknown = await resolveReferences(value, "notifiers.team", exec).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  return error as ConfigError;
}

describe("references are resolved", () => {
  test("in place of a whole text, and their values are marked as secret", async () => {
    vi.stubEnv("BECKON_TEST_KEY", canary);
    const path = file("key", `\ufeff  ${canary}-file\r\n`);
    const given = { a: `\${file:${path}}`, b: "plain ${env:BECKON_TEST_KEY}" };
    const list = ["${env: BECKON_TEST_KEY }", 5, null, true];
    const settings = { url: "${env:BECKON_TEST_KEY}", headers: given, list };
    const headers = { a: `${canary}-file`, b: "plain ${env:BECKON_TEST_KEY}" };
    expect(await resolveReferences(settings, "notifiers.team", exec)).toEqual({
      value: { url: canary, headers, list: [canary, 5, null, true] },
      secrets: expect.arrayContaining([canary, `${canary}-file`]),
    });
  });

  test("and everything else is kept unchanged", async () => {
    const check = async (json: unknown) => {
      const { value, secrets } = await resolveReferences(json, "x", exec);
      expect([JSON.stringify(value), secrets]).toEqual([JSON.stringify(json), []]);
    };
    await fc.assert(fc.asyncProperty(fc.jsonValue(), check), { numRuns: 200 });
  });

  test("below the home folder", async () => {
    vi.stubEnv("HOME", at());
    file("home-key", canary);
    expect(await resolveReferences("${file:~/home-key}", "x", exec)).toMatchObject({ value: canary });
  });

  test("by a program with arguments, with any characters", async () => {
    const path = program("print", 'printf "%s|%s|%s\\n" "$#" "$1" "$2"');
    const { value } = await resolveReferences(`\${command:${path} $HOME ;id}`, "x", exec);
    expect(value).toBe("2|$HOME|;id");
  });
});

describe("a reference without a value is an error that names the place", () => {
  test.each([
    ["an unset variable", "${env:BECKON_TEST_NOT_SET}", "${env:BECKON_TEST_NOT_SET} is not set"],
    ["a name every object has", "${env:constructor}", "${env:constructor} is not set"],
    ["a missing file", "${file:/nonexistent/key}", "${file:/nonexistent/key} cannot be read (ENOENT)"],
    ["a file below a file", "${file:/etc/passwd/key}", "${file:/etc/passwd/key} cannot be read (ENOTDIR)"],
    ["an impossible file name", "${file:/a\0b}", "cannot be read (ERR_INVALID_ARG_VALUE)"],
    ["a relative path", "${file:key}", "${file:key} is not an absolute path"],
    ["a path below the working directory", "${file:./key}", "${file:./key} is not an absolute path"],
    ["somebody's home folder", "${file:~root/key}", "${file:~root/key} is not an absolute path"],
    ["a folder", "${file:/etc}", "${file:/etc} is not a regular file of at most 64 KiB"],
    ["a device", "${file:/dev/zero}", "${file:/dev/zero} is not a regular file of at most 64 KiB"],
    ["a missing program", "${command:beckon-no-such-program x}", "cannot be run"],
  ])("%s", async (_, reference, message) => {
    const error = await catchError({ url: reference });
    expect(error.path).toBe("notifiers.team.url");
    expect(error.message).toContain("notifiers.team.url: ");
    expect(error.message).toContain(message);
  });

  test("an empty variable", async () => {
    vi.stubEnv("BECKON_TEST_KEY", "");
    expect((await catchError({ a: ["${env:BECKON_TEST_KEY}"] })).path).toBe("notifiers.team.a[0]");
  });

  test("a loop of links", async () => {
    const link = at("loop");
    symlinkSync(link, link);
    expect((await catchError(`\${file:${link}}`)).message).toContain("cannot be read (ELOOP)");
  });

  test.skipIf(process.platform === "win32").each([0o640, 0o604, 0o660, 0o644])("a file of mode %o", async (mode) => {
    const error = await catchError(`\${file:${file("open", canary, mode)}}`);
    expect(error.message).toContain("can be read by other users");
    expect(error.hint).toBe(`chmod 600 '${at("open")}'`);
  });

  test("an empty file and a large one", async () => {
    expect((await catchError(`\${file:${file("empty", " \n")}}`)).message).toContain("is empty");
    const large = file("large", "x".repeat(64 * 1024 + 1));
    expect((await catchError(`\${file:${large}}`)).message).toContain("not a regular file of at most 64 KiB");
  });

  test("a program that fails, prints nothing, or hangs", async () => {
    const fails = program("fails", "echo no; exit 3");
    expect((await catchError(`\${command:${fails}}`)).message).toContain("exited with code 3");
    expect((await catchError(`\${command:${program("mute", "exit 0")}}`)).message).toContain("is empty");
    expect((await catchError(`\${command:${program("hangs", "sleep 60")}}`)).message).toContain("took too long");
  });
});

test("no error contains a reference's value or a command's arguments", async () => {
  vi.stubEnv("BECKON_TEST_KEY", canary);
  const settings = [
    `\${file:${file("canary", canary, 0o644)}}`,
    `\${command:${program("loud", `echo ${canary}; echo ${canary} >&2; exit 1`)}}`,
    `\${command:${program("deaf", "exit 0")} --token ${canary}}`,
    `\${command:${program("sour", "exit 1")} --token ${canary}}`,
    `\${command:beckon-no-such-program ${canary}}`,
  ];
  for (const setting of settings) {
    const error = await catchError({ key: "${env:BECKON_TEST_KEY}", url: setting });
    const shown = [error.message, error.stack, error.hint, JSON.stringify(error), String(error.cause)].join("\n");
    expect(shown).not.toContain(canary);
  }
});
