import { join } from "node:path";
import { type EntryForm, ownShapes, type SettingsShape } from "../../src/core/agent-settings.ts";
import { resolvePaths } from "../../src/files/paths.ts";
import { installable } from "../../src/installer/agents/installable.ts";
import { wantedEntries } from "../../src/installer/agents/wanted-entries.ts";
import { createBeckonCommands } from "../../src/installer/beckon-commands.ts";
import type { WantedEntry } from "../../src/installer/editors/editor.ts";
import { freshTask } from "../world/settings-tasks.ts";

/** A form of settings file, and its registered hooks. */
export interface Specimen {
  readonly name: string;
  readonly shape: SettingsShape;
  readonly form: EntryForm;
  readonly wanted: ReadonlyMap<string, WantedEntry>;
  /** True for the specimen that represents its shape. Slow tests run only with such specimens. */
  readonly isModel: boolean;
  /** Returns the path of the file below the user's home. */
  path(home: string): string;
}

function made(name: string, shape: SettingsShape, file: string, events: string[], form: EntryForm = {}): Specimen {
  const entry = (event: string) => ({ command: commandFor(name, event), timeout: 5, leastTimeout: 0, form });
  const wanted = new Map(events.map((event) => [event, entry(event)]));
  return { name, shape, form, isModel: true, wanted, path: (home) => join(home, file) };
}

const paths = resolvePaths("/home/u/.beckon");

/** Facts by which the specimens' entries are recognized as beckon's. */
export const beckonCommands = createBeckonCommands({ commands: [], roots: [paths] });

/** Builds the command line of a default install. */
export function commandFor(agent: string, event: string): string {
  return `~/.beckon/hook ${event} --agent ${agent} || :`;
}

const events = ["Notification", "Stop", "SessionEnd"];
const ofShapes = [
  made("some-wrapped", "wrapped", ".some/settings.json", events),
  made("some-bare", "bare", ".some/hooks.json", events),
  made("some-flat", "flat", ".some/hooks.json", ["stop", "sessionEnd"], { constants: {} }),
  {
    ...made("some-bash", "flat", ".some/hooks/beckon.json", ["agentStop"], { command: "bash", timeout: "timeoutSec" }),
    isModel: false,
  },
  made("some-named", "named", ".some/hooks.json", ["Stop"]),
  made("some-tables", "tables", ".some/config.toml", events, { constants: {} }),
];

/** Every agent that beckon installs itself into, with its own data, and each shape separately. */
export const specimens: readonly Specimen[] = [
  ...ofShapes,
  ...installable.flatMap((agent): Specimen[] => {
    const { settings, name } = agent;
    const place = (home: string) => ({ home, project: join(home, "p"), env: {}, platform: "linux" as const });
    const file = (home: string) => settings.files("user", place(home)).at(-1);
    const request = { agent, events: undefined, waitSeconds: 0, paths, home: "/home/u" };
    const wanted = wantedEntries({ ...request, platform: "linux" });
    const { shape } = file("/home/u") ?? {};
    // Files that only beckon writes hold nothing else: see own-files.test.ts.
    if (!shape || ownShapes.includes(shape)) return [];
    const { entry: form = {} } = settings;
    return [{ name, shape, form, wanted, isModel: false, path: (home) => file(home)?.path ?? "" }];
  }),
];

/** Finds a specimen; throws if there is none of this name. */
export function findSpecimen(name: string): Specimen {
  const specimen = specimens.find((each) => each.name === name);
  if (!specimen) throw new Error(`no specimen ${name}`);
  return specimen;
}

/** Makes a new home for a specimen, and the task of a default install there. */
export function taskFor({ name, shape, wanted, path: below }: Specimen) {
  const fresh = freshTask();
  const path = below(fresh.home);
  return { ...fresh, path, task: { ...fresh.task, agent: name, file: { path, shape }, beckonCommands, wanted } };
}
