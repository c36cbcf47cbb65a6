import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { childEnv, sessionVariables } from "../../src/io/child-env.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "beckon-run-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each([
  ...[
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "LC_TIME",
    "TZ",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
  ],
  ...["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "PULSE_SERVER", "PULSE_COOKIE", "PIPEWIRE_REMOTE"],
])("%s is passed on", (name) => {
  expect(childEnv({ [name]: "value" }, {}, root)).toMatchObject({ [name]: "value" });
});

test.each([
  ...[
    "ANTHROPIC_API_KEY",
    "FACTORY_API_KEY",
    "OPENAI_API_KEY",
    "BECKON_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_TOKEN",
  ],
  ...["DEBUG", "NODE_DEBUG", "NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD", "BASH_ENV", "IFS", "MY_LC_ALL", "home"],
])("%s is not passed on", (name) => {
  expect(Object.keys(childEnv({ [name]: "value" }, {}, root))).toEqual(["PATH"]);
});

test("what the caller adds takes precedence", () => {
  expect(childEnv({ LANG: "C" }, { LANG: "de_DE.UTF-8", BECKON_ID: "1" }, root)).toMatchObject({
    LANG: "de_DE.UTF-8",
    BECKON_ID: "1",
  });
});

test.each([
  ["/usr/bin:.:node_modules/.bin::/bin", "/usr/bin:/bin"],
  ["", "/usr/local/bin:/usr/bin:/bin"],
  [undefined, "/usr/local/bin:/usr/bin:/bin"],
])("PATH %j becomes %j", (path, expected) => {
  expect(childEnv(path === undefined ? {} : { PATH: path }, {}, root)["PATH"]).toBe(expected);
});

test("the user's bus and runtime folder are added where they are missing", async () => {
  const folder = join(root, String(process.getuid?.()));
  expect(sessionVariables({}, root)).toEqual({});
  mkdirSync(folder);
  expect(sessionVariables({}, root)).toEqual({ XDG_RUNTIME_DIR: folder });
  const bus = createServer().listen(join(folder, "bus"));
  await new Promise((resolve) => bus.once("listening", resolve));
  const found = { XDG_RUNTIME_DIR: folder, DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus` };
  expect(sessionVariables({}, root)).toEqual(found);
  expect(childEnv({}, {}, root)).toMatchObject(found);
  expect(childEnv({ DBUS_SESSION_BUS_ADDRESS: "", XDG_RUNTIME_DIR: "" }, {}, root)).toMatchObject(found);
  const own = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/my/bus" };
  expect(childEnv(own, {}, root)).toMatchObject(own);
  await new Promise((resolve) => bus.close(resolve));
});

test("a bus that is no socket is not added", () => {
  mkdirSync(join(root, String(process.getuid?.()), "bus"), { recursive: true });
  expect(sessionVariables({}, root)).not.toHaveProperty("DBUS_SESSION_BUS_ADDRESS");
});
