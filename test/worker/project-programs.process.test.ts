import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { useHome } from "../world/use-home.ts";

const programs = ["notify-send", "pw-play", "paplay", "aplay", "ffplay", "espeak-ng", "espeak", "node", "sh"];

const home = useHome();
let project: string;
beforeEach(() => {
  project = join(home.paths.root, "project");
});

/**
 * Makes a folder with programs that have the names of those that beckon runs; each creates a file `ran` in the project.
 */
function trap(folder: string): string {
  const path = join(project, folder);
  mkdirSync(path, { recursive: true });
  for (const name of programs) {
    writeFileSync(join(path, name), `#!/bin/sh\n: >'${join(project, "ran")}'\n`);
    chmodSync(join(path, name), 0o755);
  }
  return path;
}

test.each(["launcher", "entrypoint"])(
  "a project's programs never replace those that beckon chooses: %s",
  async (way) => {
    const folders = ["node_modules/.bin", "../node_modules/.bin", "bin"].map(trap);
    const types = ["desktop", "sound", "speech"];
    home.writeConfig({
      notifiers: Object.fromEntries(types.map((type) => [type, { type }])),
      attention: { wait: "0s" },
      delivery: { linger: "0s" },
    });
    // With a broken display the desktop is reached through notify-send.
    const env = { PATH: [...folders, process.env["PATH"]].join(":"), DISPLAY: ":987", BECKON_PROJECT: undefined };
    const payload = JSON.stringify({ hook_event_name: "Notification", session_id: "s1", cwd: project, message: "?" });
    const options = { env, cwd: project };
    if (way === "launcher") await home.launch(["Notification", "--agent", "claude"], payload, options);
    else await home.enter("notification", ["--agent", "claude"], payload, options);
    await home.until((lines) => types.every((type) => lines.some((line) => line.notifier === type)));
    expect(existsSync(join(project, "ran"))).toBe(false);
  },
);

test("a setting names a program of the user's", async () => {
  const own = join(trap("mine"), "notify-send");
  const notifiers = { desk: { type: "desktop", program: own }, voice: { type: "speech", program: "/no/such/program" } };
  home.writeConfig({ notifiers, attention: { wait: "0s" }, delivery: { linger: "0s" } });
  await home.launch(["Notification", "--agent", "claude"], '{"message":"?"}', { cwd: project });
  const lines = await home.until((found) => found.filter(({ notifier }) => notifier).length === 2);
  expect(lines.find(({ notifier }) => notifier === "desk")).toMatchObject({ status: "sent" });
  expect(lines.find(({ notifier }) => notifier === "voice")?.reason).toContain(
    "the program /no/such/program does not exist",
  );
  expect(existsSync(join(project, "ran"))).toBe(true);
});
