import * as z from "zod";
import { answerChoices } from "../../core/permission-reply.ts";
import { count, list, printsLines, printsObject, time } from "./declare.ts";

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
