import * as z from "zod";
import { kind, list, printsLines, printsObject, scope, status, time, wholeMs } from "./declare.ts";

/** Problem in the configuration. */
export const finding = z
  .strictObject({
    level: z.enum(["error", "warning"]),
    path: z.string(),
    line: z.int().optional(),
    column: z.int().optional(),
    message: z.string(),
    hint: z.string().optional(),
  })
  .meta({ id: "Finding" });

/** Outcome of a sample event at one notifier. */
export const sampleOutcome = z
  .strictObject({
    notifier: z.string().optional(),
    status,
    reason: z.string().optional(),
    tookMs: wholeMs.optional(),
  })
  .meta({ id: "SampleOutcome" });
export type SampleOutcome = z.output<typeof sampleOutcome>;

const installedFile = z.strictObject({
  agent: z.string(),
  path: z.string(),
  result: z.enum(["updated", "would-update", "current", "refused"]),
  message: z.string().optional(),
});
/** Result of `install` for one file; `would-update` if the file was not written. */
export type InstalledFile = z.output<typeof installedFile>;

const installReport = z.strictObject({
  done: z.boolean().describe("False also for a dry run."),
  files: list(installedFile),
  notes: list(z.string()).describe("For people."),
  sample: z.strictObject({ hookMs: wholeMs, outcomes: list(sampleOutcome) }).optional(),
});
/**
 * Output of `install --json`. `done` is false for a dry run, if the user declined, or if something was not done. `notes`
 * are for people. `sample` is absent if no sample event was sent.
 */
export type InstallReport = z.output<typeof installReport>;

const removedFile = z.strictObject({
  agent: z.string(),
  path: z.string(),
  result: z.enum(["removed", "would-remove", "unchanged", "refused"]),
  message: z.string().optional(),
});
/** Result of `uninstall` for one file; `would-remove` if the file was not written. */
export type RemovedFile = z.output<typeof removedFile>;

const uninstallReport = z.strictObject({
  done: z.boolean(),
  files: list(removedFile),
  folder: z.enum(["kept", "removed", "would-remove"]),
});
/**
 * Output of `uninstall --json`. `done` is false for a dry run, if the user declined, or if something was not done.
 * `folder` is the result for beckon's own folder.
 */
export type UninstallReport = z.output<typeof uninstallReport>;

const upgradeReport = z.strictObject({
  from: z.string(),
  to: z.string(),
  done: z.boolean(),
  files: list(
    z.strictObject({
      agent: z.string(),
      scope: scope,
      path: z.string(),
      result: z.enum(["updated", "would-update", "current", "left", "refused"]),
      message: z.string().optional(),
      hint: z.string().optional(),
    }),
  ),
});
/** Output of `upgrade --json`. `done` is false for a dry run or if the user declined. */
export type UpgradeReport = z.output<typeof upgradeReport>;

const addedNotifier = z.strictObject({
  name: z.string(),
  type: z.string(),
  file: z.string(),
  secretFiles: list(z.string()),
  isRouted: z.boolean(),
});
/** Output of `config add --json`. */
export type AddedNotifier = z.output<typeof addedNotifier>;

const removedNotifier = z.strictObject({
  name: z.string(),
  file: z.string(),
  secretFiles: list(z.string()),
  hasRoutes: z.boolean().describe("False: nothing notifies you any longer."),
});
/** Output of `config remove --json`. `hasRoutes` is false if no route is left, so nothing notifies the user. */
export type RemovedNotifier = z.output<typeof removedNotifier>;

const changedSetting = z.strictObject({
  path: z.string(),
  file: z.string(),
  isSet: z.boolean().describe("False: the setting was removed."),
});
/** Output of `config set --json` and `config unset --json`. `isSet` is false if the setting was removed. */
export type ChangedSetting = z.output<typeof changedSetting>;

const demo = z.strictObject({
  events: list(
    z.strictObject({
      kind,
      project: z.string(),
      agent: z.string(),
      text: z.string(),
      isRouted: z.boolean(),
      outcomes: list(sampleOutcome),
    }),
  ),
});
/** Output of `demo --json`. */
export type DemoOutput = z.output<typeof demo>;

/** Outputs of the commands that set up beckon. */
export const setupOutputs = {
  install: printsObject(installReport),
  "config path": printsObject(z.strictObject({ file: z.string() })),
  "config show": printsObject(z.looseObject({})),
  "config check": printsLines(finding),
  "config add": printsObject(addedNotifier),
  "config remove": printsObject(removedNotifier),
  "config set": printsObject(changedSetting),
  "config unset": printsObject(changedSetting),
  "config init": printsObject(z.strictObject({ file: z.string(), schemaFile: z.string() })),
  test: printsLines(
    z.strictObject({
      name: z.string(),
      verdict: z.enum(["sent", "skipped", "failed"]),
      detail: z.string(),
      hint: z.string().optional(),
      said: z.string().optional().describe("Output of your program."),
    }),
  ),
  demo: printsObject(demo),
  upgrade: printsObject(upgradeReport),
  uninstall: printsObject(uninstallReport),
};

/** Settings file of an agent, for `status`. */
export const settingsFile = z
  .strictObject({
    scope: scope,
    path: z.string(),
    events: list(z.string()),
    changed: list(z.string()).describe("Events whose hook is missing, doubled or edited."),
    otherHooks: z.int(),
    asking: list(z.string()).optional().describe("Events whose hook waits for your answer from elsewhere."),
    copiedFrom: list(z.string()).optional(),
    installedAt: time.optional(),
    chosen: list(z.string()).optional().describe("Events that you chose."),
    problem: z.string().optional(),
    ignoredBy: z.enum(["all versions", "some versions"]).optional(),
    offSwitch: z.string().optional().describe("Setting that disables all hooks."),
    unknownEvents: list(z.string()).optional(),
  })
  .meta({ id: "SettingsFile" });
