import * as z from "zod";
import { answerChoices } from "../../core/permission-reply.ts";
import { count, kind, list, printsLines, printsObject, time, wholeMs } from "./declare.ts";

const session = {
  agent: z.string(),
  project: z.string(),
  host: z.string().optional(),
  sessionId: z.string().optional(),
  cwd: z.string().optional(),
  title: z.string().optional(),
};

const waitingSession = z
  .strictObject({
    state: z.literal("waiting"),
    id: z.string(),
    kind,
    sinceAt: time,
    waitedMs: wholeMs,
    ...session,
    request: z.string().optional(),
    noticed: z.literal(true).optional().describe("You reacted to a message."),
  })
  .meta({ id: "WaitingSession" });

/** Session that waits for the user, in `sessions --json`. `noticed` is true if the user has reacted to a message. */
export type WaitingSession = z.output<typeof waitingSession>;

const idleSession = z
  .strictObject({
    state: z.enum(["waiting-seen", "dialog", "working", "idle", "interrupted", "done", "ended"]),
    waitingFor: z.string().optional().describe("Agent's words for the dialog that is open."),
    sinceAt: time,
    ...session,
  })
  .meta({ id: "IdleSession" });

/** Any other session in `sessions --json`. A `waiting-seen` one was marked as seen but not answered. */
export type IdleSession = z.output<typeof idleSession>;

const teamSession = z
  .strictObject({
    person: z.string(),
    kind,
    sinceAt: time,
    waitedMs: wholeMs,
    agent: z.string(),
    project: z.string(),
    host: z.string(),
    title: z.string().optional(),
  })
  .meta({ id: "TeamSession" });

/** Session in `sessions --team --json`. */
export type TeamSessionOutput = z.output<typeof teamSession>;

const seenConcern = z
  .strictObject({
    id: z.string(),
    kind,
    agent: z.string(),
    project: z.string(),
    sessionId: z.string().optional(),
  })
  .meta({ id: "Request" });

/** Request in `seen --json`. */
export type SeenConcern = z.output<typeof seenConcern>;

/** Snooze in `snooze --json` and `status --json`. */
export const snoozed = z
  .strictObject({
    untilAt: time,
    project: z.string().optional(),
    session: z.string().optional(),
    notifier: z.string().optional(),
  })
  .meta({ id: "SnoozedTarget" });

const figures = {
  waitedMs: wholeMs,
  reactionMs: wholeMs.optional().describe("Median."),
  calls: z.number().describe("Events with a message sent."),
  held: z.number().describe("Events with a message held."),
  finished: z.number(),
  failed: z.number(),
};
const figuresObject = z.strictObject(figures);
/** Figures of a day, project or agent. The figures in `usual` are medians. */
export type FiguresOutput = z.output<typeof figuresObject>;

const usualFigures = z.strictObject({ days: count, ...figures }).meta({ id: "Usual" });
const share = z
  .strictObject({
    name: z.string(),
    sessions: count,
    ...figures,
    tokens: z.number().optional(),
    credits: z.number().optional(),
  })
  .meta({ id: "Share" });

const dayReport = z.strictObject({
  day: z.iso.date(),
  ...figures,
  usual: usualFigures.optional().describe("Medians of this weekday, four weeks back."),
  projects: list(share),
  agents: list(share),
  notifiers: list(
    z.strictObject({
      notifier: z.string(),
      sent: count,
      held: count,
      failed: count,
      error: z.strictObject({ at: time, reason: z.string(), isResolved: z.boolean() }).optional(),
    }),
  ),
  waiting: list(waitingSession),
});

/** Output of `today --json`. `waiting` is empty for an earlier day. */
export type DayOutput = z.output<typeof dayReport>;

/** Outputs of the everyday commands. */
export const dailyOutputs = {
  sessions: printsLines(z.union([waitingSession, idleSession, teamSession])),
  seen: printsObject(
    z.strictObject({
      seen: list(seenConcern),
      pending: list(seenConcern).describe("Not cleared yet."),
    }),
  ),
  snooze: printsObject(z.strictObject({ snoozed: list(snoozed) })),
  focus: printsObject(
    z.strictObject({
      agent: z.string(),
      project: z.string(),
      sessionId: z.string().optional(),
      isInFront: z.boolean(),
      steps: list(z.strictObject({ target: z.string(), obstacle: z.string().optional() })),
    }),
  ),
  send: printsObject(z.strictObject({ id: z.string(), sessionId: z.string(), kind })),
  today: printsObject(dayReport),
  board: printsObject(
    z.union([
      z.strictObject({ url: z.string() }).meta({ id: "BoardAddress" }),
      z.strictObject({ file: z.string(), day: z.iso.date() }).meta({ id: "BoardFile" }),
    ]),
  ),
};

const choices = list(z.enum(answerChoices));

const openRequest = z
  .strictObject({
    id: z.string(),
    agent: z.string(),
    project: z.string(),
    cwd: z.string(),
    sessionId: z.string(),
    lines: list(z.string()).describe("The request."),
    choices,
    denyOnly: z.string().optional().describe("Why it can only be denied."),
    askedAt: time,
    untilAt: time.describe("The agent's own dialog decides from then on."),
  })
  .meta({ id: "OpenRequest" });

/** Line of `answer --json`. */
export type OpenRequestOutput = z.output<typeof openRequest>;

const rights = z.strictObject({ may: choices, users: list(z.int()).optional() }).meta({ id: "AnswerRights" });

const answersState = z
  .strictObject({
    state: z.enum(["not set up", "on", "off"]),
    offReason: z.string().optional(),
    exposure: z.string().optional().describe("Why requests are only answered in the agent."),
    agents: list(z.string()),
    projects: list(z.string()),
    from: z.record(z.string(), rights),
    open: count,
  })
  .meta({ id: "AnswersState" });

/** Output of `answers on`, `off` and `status` with `--json`. */
export type AnswersStateOutput = z.output<typeof answersState>;

/** Outputs of the commands for permission requests. */
export const answerOutputs = {
  answer: printsLines(openRequest),
  "answers on": printsObject(answersState),
  "answers off": printsObject(answersState),
  "answers status": printsObject(answersState),
};
