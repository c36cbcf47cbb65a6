import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse as parseJsonc } from "jsonc-parser";
import { expect, test } from "vitest";
import { removeNotifier } from "../../../../src/config/edit/edit-config.ts";
import { drawJsonc } from "../../../installer/jsonc-texts.ts";
import { useCliHome } from "../../../world/cli-home.ts";

const home = useCliHome();

test("a notifier goes with its routes and saved secret; comments and everything else stay", async () => {
  const secret = home.write(join(home.paths.root, "secrets", "team-url"), "https://example.org/x");
  const other = home.write(join(home.paths.root, "secrets", "other"), "x");
  home.config(`{
  // my notifiers
  "notifiers": {
    "desk": { "type": "desktop" }, // stays
    "team": { "type": "slack", "url": "\${file:${secret}}" }
  },
  "routes": [
    { "kinds": ["failed"], "to": ["team"] },
    { "kinds": ["needs-you"], "to": ["desk", "team"] } // stays too
  ]
}
`);
  const { exitCode, stdout } = await home.run(["config", "remove", "team"]);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Removed team from") });
  expect([existsSync(secret), existsSync(other)]).toEqual([false, true]);
  const text = readFileSync(home.paths.config, "utf8");
  for (const comment of ["// my notifiers", "// stays", "// stays too"]) expect(text).toContain(comment);
  expect(parseJsonc(text)).toEqual({
    notifiers: { desk: { type: "desktop" } },
    routes: [{ kinds: ["needs-you"], to: ["desk"] }],
  });
});

test("an unknown name is an error with suggestions, and nothing is changed", async () => {
  home.config({ notifiers: { team: { type: "desktop" } } });
  const before = readFileSync(home.paths.config);
  const { exitCode, stderr } = await home.run(["config", "remove", "taem"]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/has no notifier taem\n.*`team`/);
  expect(readFileSync(home.paths.config)).toEqual(before);
});

test("the removal of the last route is reported", async () => {
  home.config({ notifiers: { a: { type: "desktop" }, b: { type: "sound" } }, routes: [{ to: ["a"] }] });
  expect((await home.run(["config", "remove", "a"])).stdout).toContain("No routes are left, so nothing notifies you");
});

test("nothing else changes, whatever the layout", () => {
  const before = {
    notifiers: { a: { type: "desktop" }, b: { type: "sound" } },
    routes: [{ to: ["a"] }, { to: ["b", "a", "a"] }, { on: ["Stop"], to: ["b"] }],
    other: [1, { x: "y" }],
  };
  fc.assert(
    fc.property(drawJsonc(fc.constant(before)), (text) => {
      expect(parseJsonc(removeNotifier(text, "config.jsonc", "a"))).toEqual({
        ...before,
        notifiers: { b: { type: "sound" } },
        routes: [{ to: ["b"] }, { on: ["Stop"], to: ["b"] }],
      });
    }),
  );
});
