import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { isAlwaysSerial } from "../core/agent.ts";
import { answerChoices } from "../core/permission-reply.ts";
import { duration } from "../text/duration.ts";

/** Names of the agents whose permission requests can be answered outside the agent. */
const answerableAgents = agents
  .filter(({ permissionHook }) => typeof permissionHook === "object")
  .map(({ name }) => name as string);

const answerableAgent = z.string().superRefine((name, context) => {
  const agent = agents.find((known) => known.name === name);
  if (typeof agent?.permissionHook === "object") return;
  const message = agent
    ? `cannot have ${agent.title}: ${agent.permissionHook ?? "it has no hook for permission requests"}`
    : `names an unknown agent; possible: ${answerableAgents.join(", ")}`;
  context.addIssue({ code: "custom", message });
});

const choices = z.array(z.enum(answerChoices)).min(1);

/** Rights of the people who may press a notifier's buttons. */
const rights = z.strictObject({
  users: z
    .array(z.int().positive())
    .min(1)
    .describe("People who may press, by the numeric id that the service gives each person."),
  may: choices.prefault(["deny"]).describe("Answers that they may give."),
});

/** Settings for answering permission requests outside the agent. Durations are milliseconds. */
export const answersSchema = z.strictObject({
  agents: z
    .array(answerableAgent)
    .min(1)
    .describe(
      "Agents whose permission requests may be answered outside the agent. `beckon install` registers a hook for each.",
    ),
  projects: z
    .array(z.string().min(1).max(4096))
    .min(1)
    .describe(
      'Folders in which requests may be answered outside the agent: `["~/code/shop/**"]`. Requests in other folders are only answered in the agent.',
    ),
  wait: duration({ min: "10s", max: "1h" })
    .prefault("10m")
    .describe("Maximum wait for an answer. After that, only the agent's own dialog can answer."),
  when: z
    .enum(["away", "always"])
    .prefault("away")
    .describe(
      "`away` asks you outside the agent only while you are away from this machine, `always` at any time. If the hook keeps the agent's own dialog from opening, `away` applies.",
    ),
  never: z
    .array(z.string().min(1))
    .prefault([])
    .describe(
      'Commands and paths that are only answered in the agent, in addition to the built-in list: `["terraform *", "~/work/**"]`.',
    ),
  from: z
    .record(z.string(), z.union([choices, rights]))
    .prefault({})
    .describe(
      'Notifiers whose messages get buttons, and what the buttons may do: `{ "desk": ["deny", "allow"] }`. In a chat, only the people you list may press them, by default only `deny`: `{ "me": { "users": [123456789], "may": ["deny", "allow"] } }`. `beckon answer` and the board can always do both.',
    ),
});
export type AnswerSettings = Readonly<z.output<typeof answersSchema>>;

/** Explains to which agents `when: "always"` does not apply; undefined if it is not set or applies to all. */
export function explainAlways({ agents: names, when }: AnswerSettings): string | undefined {
  const serial = agents.filter((agent) => names.includes(agent.name) && isAlwaysSerial(agent));
  if (when !== "always" || serial.length === 0) return undefined;
  const titles = serial
    .map(({ title }) => title)
    .toSorted()
    .join(" and ");
  return `does not apply to ${titles}: the agent's own dialog opens only after the hook, so you are asked elsewhere only while you are away`;
}
