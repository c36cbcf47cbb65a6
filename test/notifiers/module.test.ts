import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { module } from "../../src/notifiers/module.ts";
import { useFolder } from "../world/fresh-folder.ts";
import { localCall } from "../world/local-call.ts";

const at = useFolder();

function write(source: string, name = "lamp.mjs"): string {
  const path = at(name);
  writeFileSync(path, source, { mode: 0o600 });
  return path;
}
const send = (path: string, settings = {}) =>
  module.send(localCall(module.settings.parse({ path, settings }), { PATH: "/usr/bin:/bin" }));

const keep = `async send({ settings, message, ports, signal }) {
  const { writeFileSync } = await import("node:fs");
  const heard = { settings, title: message.title, ports: Object.keys(ports).sort(), aborted: signal.aborted };
  writeFileSync(${JSON.stringify("OUT")}, JSON.stringify(heard));
}`;

describe("a module is called", () => {
  test.each([
    ["`notifier`", (body: string) => `export const notifier = { ${body} };`],
    ["the default", (body: string) => `export default { ${body} };`],
    ["`notifier` before the default", (body: string) => `export const notifier = { ${body} }; export default 1;`],
    ["a method of a class", (body: string) => `class Lamp { ${body} } export default new Lamp();`],
  ])("%s, with settings, message, ports and signal", async (_, source) => {
    const out = at("heard.json");
    await send(write(source(keep.replace("OUT", out))), { colour: "red", deep: { lamp: [1] } });
    expect(JSON.parse(readFileSync(out, "utf8"))).toEqual({
      settings: { colour: "red", deep: { lamp: [1] } },
      title: "shop needs you",
      ports: "clock desktop exec files focus host http mail presence relay sound speech terminal".split(" "),
      aborted: false,
    });
  });

  test("through a link to a file of the user's", async () => {
    const link = at("link.mjs");
    symlinkSync(write("export default { async send() {} }"), link);
    await send(link);
  });
});

describe("rejected is", () => {
  test.each([
    ["missing", () => at("nothing.mjs"), /ENOENT/],
    ["a folder", () => made("folder.mjs"), /not a regular file/],
    ["broken", () => write("export default {"), /cannot be loaded/],
    ["throwing while it loads", () => write("throw new TypeError('canary')"), /cannot be loaded \(TypeError\)/],
    ["importing a missing module", () => write("import './nothing.mjs'"), /cannot be loaded \(Error\)/],
    ["without an export", () => write("export const other = 1"), /exports no notifier/],
    ["exporting null", () => write("export default null"), /exports no notifier/],
    ["exporting no function", () => write("export const notifier = { send: 1 }"), /exports no notifier/],
    ["writable for the group", () => withMode(0o620), /users other than you can change/],
    ["writable for all", () => withMode(0o602), /users other than you can change/],
    ["a link to a file that others can change", () => linkTo(withMode(0o666)), /users other than you can change/],
  ])("a module that is %s", async (_, path, message) => {
    const sent = send(path());
    await expect(sent).rejects.toMatchObject({ reason: "rejected", hint: expect.any(String) });
    await expect(sent).rejects.toThrow(message);
    await expect(sent).rejects.not.toThrow("canary");
  });

  test.runIf(process.getuid?.() === 0)("a module of another user's", async () => {
    const path = write("export default { async send() {} }");
    chownSync(path, 12_345, 12_345);
    await expect(send(path)).rejects.toMatchObject({ reason: "rejected", message: /another user/ });
  });

  test.each(["lamp.mjs", "./lamp.mjs", "/lamp.tsx", "/lamp", ""])("the path %j", (path) => {
    expect(module.settings.safeParse({ path }).success).toBe(false);
  });
});

describe("an error that a module throws", () => {
  test("keeps its reason if it is a DeliveryError of the module's own library copy", async () => {
    const source = `class DeliveryError extends Error { name = "DeliveryError"; reason = "rate-limited"; retryAfterMs = 5; }
      export default { async send() { throw new DeliveryError("slow down"); } }`;
    const expected = { reason: "rate-limited", message: "slow down", retryAfterMs: 5, code: "rate-limited" };
    await expect(send(write(source))).rejects.toMatchObject(expected);
  });

  test("is otherwise the module's fault, in its own words", async () => {
    const source = "export default { async send() { throw new RangeError('oops'); } }";
    await expect(send(write(source))).rejects.toMatchObject({
      reason: "bug",
      message: "the module threw RangeError",
      said: expect.stringMatching(/^RangeError: oops\n +at /),
    });
  });
});

/** Vitest loads modules in its own way, so the built notifier runs in a separate Node process. */
test.each([
  ["a path with spaces, #, ? and %", "a #b?c%20d.mjs", "export default { async send() {} }", "sent"],
  ["a broken module", "lamp.mjs", "export default {", "rejected: the module cannot be loaded (SyntaxError)"],
  ["CommonJS", "lamp.js", "exports.notifier = { async send() {} }", "sent"],
])("the built notifier loads %s", async (_, name, source, outcome) => {
  const built = at("built.mjs");
  const entry = join(import.meta.dirname, "../../src/notifiers/module.ts");
  await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", outfile: built });
  const script = `
    const { module } = await import(${JSON.stringify(built)});
    const settings = { path: ${JSON.stringify(write(source, name))}, settings: {} };
    const outcome = await module.send({ settings }).then(() => "sent", (error) => error.reason + ": " + error.message);
    process.stdout.write(outcome);`;
  const args = ["--input-type=module", "--eval", script];
  expect(execFileSync(process.execPath, args, { encoding: "utf8" })).toBe(outcome);
});

function made(name: string): string {
  mkdirSync(at(name));
  return at(name);
}

function withMode(mode: number): string {
  const path = write("export default { async send() {} }");
  chmodSync(path, mode);
  return path;
}

function linkTo(target: string): string {
  symlinkSync(target, at("link.mjs"));
  return at("link.mjs");
}
