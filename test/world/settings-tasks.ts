import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolvePaths } from "../../src/files/paths.ts";
import { createBeckonCommands } from "../../src/installer/beckon-commands.ts";
import { sha256 } from "../../src/installer/files/read-settings-file.ts";
import type { InstallPlanRequest, InstallTask, Plan } from "../../src/installer/plan-file.ts";
import type { InstallRecord } from "../../src/installer/record.ts";

/** Builds the command line that the default install writes for Droid. */
export const droidCommand = (event: string) => `~/.beckon/hook ${event} --agent droid || :`;

/** Makes the entries for some events, as in Droid's default install. */
export const wantedFor = (...events: string[]) =>
  new Map(events.map((event) => [event, { command: droidCommand(event), timeout: 5, leastTimeout: 0 }]));

type Request = InstallPlanRequest;

/** Makes a request to plan a default install into a file with this text. */
export function makePlanRequest(text: string | undefined, change: Partial<Request> = {}): Request {
  return {
    file: { path: "/home/u/settings.json", shape: "wrapped" },
    before: text === undefined ? undefined : Buffer.from(text),
    beckonCommands: createBeckonCommands({ commands: [], roots: [] }),
    wanted: wantedFor("Notification", "Stop"),
    rules: {},
    ...change,
  };
}

/** Makes a new home folder with beckon's paths and the path of a settings file, and the task to install there. */
export function freshTask() {
  const home = mkdtempSync(join(tmpdir(), "beckon-settings-"));
  const paths = resolvePaths(join(home, ".beckon"));
  const path = join(home, ".factory", "settings.json");
  const task: InstallTask = {
    agent: "droid",
    scope: "user",
    file: { path, shape: "wrapped" },
    beckonCommands: createBeckonCommands({ commands: [], roots: [] }),
    wanted: wantedFor("Notification", "Stop"),
    rules: {},
    chosen: {},
  };
  return { home, paths, path, task };
}

/** Makes the record of a plan that was carried out. @param entries what it wrote, by event */
export function makeRecord({ after, created, original }: Plan, entries: InstallRecord["entries"]): InstallRecord {
  return {
    ...{ v: 1, agent: "droid", scope: "user", shape: "wrapped", file: "/h/s", target: "/h/s", state: "done" },
    original: original?.toString("base64") ?? null,
    written: after ? [sha256(after)] : [],
    entries,
    created: created.map((path) => [...path]),
    ...{ folders: [], launcher: "/h/.beckon/hook", app: "/h/.beckon/app" },
  };
}
