import * as z from "zod";
import { snoozed } from "./daily-outputs.ts";
import { count, list, printsLines, printsObject, status, time, wholeMs } from "./declare.ts";
import { relayView } from "./relay-outputs.ts";
import { finding, settingsFile } from "./setup-outputs.ts";

const text = z.string();

/** Line of the journal, with the field names that the journal file has. */
export const journalLine = z
  .strictObject({
    at: time,
    id: text,
    event: text.optional(),
    agent: text.optional(),
    kind: text.optional(),
    sessionId: text.optional(),
    project: text.optional(),
    host: text.optional(),
    summary: text.optional(),
    title: text.optional(),
    turnMs: wholeMs.optional(),
    tokens: z.number().optional(),
    credits: z.number().optional(),
    notifier: text.optional(),
    step: z.int().optional(),
    status,
    reason: text.optional(),
    attempt: z.int().optional(),
    tookMs: wholeMs.optional(),
    until: time.optional(),
    heldFor: text.optional(),
    resolvedBy: text.optional(),
    waitedMs: wholeMs.optional(),
    choice: text.optional(),
    by: text.optional(),
    via: text.optional(),
    hash: text.optional(),
  })
  .meta({ id: "JournalLine" });

const agentStatus = z.strictObject({
  name: text,
  title: text,
  found: z.boolean(),
  program: z.strictObject({ file: text, version: text.optional() }).optional(),
  files: list(settingsFile),
  elsewhere: list(settingsFile).describe("From earlier installs."),
  tools: list(z.strictObject({ path: text, command: text })).describe("Files with beckon's MCP server."),
  plugins: list(
    z.strictObject({
      word: z.enum(["plugin", "extension"]),
      path: text,
      events: list(text),
      version: text.optional(),
      installedAt: time.optional(),
      uninstallCommand: text,
    }),
  ),
  unparsed: list(text).optional().describe("Events whose command your shell cannot parse."),
  switches: list(
    z.strictObject({
      path: text,
      setting: text,
      isOurs: z.literal(true).optional(),
      inOlderVersions: z.literal(true).optional(),
    }),
  ).describe("Settings that disable hooks."),
  beside: list(z.strictObject({ path: text, effect: text })).describe("Other hook files."),
  trust: z
    .strictObject({
      state: z.enum(["trusted", "untrusted", "undecided", "unknown"]),
      detail: text,
      cure: text.optional(),
    })
    .optional(),
  lastEvent: z.strictObject({ at: time, event: text.optional(), status }).optional(),
  lastUsedAt: time.optional(),
  lastSeenAt: z.record(text, time).readonly().describe("By event."),
});

const notifierStatus = z.strictObject({
  name: text,
  type: text.optional(),
  usable: z.boolean(),
  problem: text.optional(),
  brokenSinceAt: time.optional(),
  trouble: z.strictObject({ at: time, reason: text }).optional(),
  pausedUntilAt: time.optional(),
});

const systemStatus = z.strictObject({
  home: text,
  installed: z.boolean(),
  problem: text.optional(),
  cure: text.optional(),
  snoozed: list(snoozed),
  agents: list(agentStatus),
  installProblem: text.optional(),
  config: z.strictObject({ file: text, exists: z.boolean(), findings: list(finding) }),
  notifiers: list(notifierStatus),
  relay: relayView.optional(),
  answers: list(text).optional().describe("Sentences; absent if answers are not set up."),
  spool: z.strictObject({
    fresh: count,
    waiting: count,
    nextDueAt: time.optional(),
    inFlight: count,
    dead: count.describe("Failed."),
    lost: count.describe("The disk was full."),
    lastLostAt: time.optional(),
  }),
  worker: z.strictObject({ running: z.boolean(), pid: z.int().optional() }),
});
/** Output of `status --json`. */
export type StatusOutput = z.output<typeof systemStatus>;

const story = z.strictObject({
  id: text,
  receivedAt: time,
  event: text.optional(),
  kind: text.optional(),
  agent: text.optional(),
  project: text.optional(),
  host: text.optional(),
  sessionId: text.optional(),
  title: text.optional(),
  summary: text.optional(),
  isConfigNewer: z.boolean().describe("Changed since the event."),
  routes: list(z.strictObject({ to: list(text), matches: z.boolean(), detail: text })),
  lines: list(journalLine),
});
/** Output of `why --json`. The routes are the current ones: `isConfigNewer` tells if the file changed since the event. */
export type StoryOutput = z.output<typeof story>;

const prediction = z.strictObject({
  notifier: text,
  afterMs: wholeMs.describe("Delay of a reminder."),
  outcome: z.enum(["sent", "skipped", "waits"]),
  at: time.optional(),
  reasons: list(z.strictObject({ reason: text, untilAt: time.optional() })),
});
/** Message in `try --json`. `afterMs` is the delay of the message after the event. */
export type PredictionOutput = z.output<typeof prediction>;

/** Outputs of the commands that look into what happened. */
export const inspectionOutputs = {
  status: printsObject(systemStatus),
  doctor: printsLines(
    z.strictObject({ name: text, status: z.enum(["ok", "warn", "fail"]), detail: text, cure: text.optional() }),
  ),
  log: printsLines(journalLine),
  why: printsObject(story),
  try: printsLines(prediction),
  retry: printsObject(z.strictObject({ retried: list(text), left: list(z.strictObject({ count, why: text })) })),
  flush: printsObject(
    z.strictObject({ lines: list(journalLine), due: count, waiting: count, nextDueAt: time.optional() }),
  ),
};
