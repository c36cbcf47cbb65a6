import * as z from "zod";
import { factsSchema } from "./facts.ts";
import { kinds } from "./vocabulary.ts";

/** Schema of what a message says, and about what; `webhook`, `command` and `file` pass it on as `data`. */
export const messageDataSchema = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe("The same in every attempt to deliver this event."),
  event: z.string().describe("`Notification`, `Stop`, `SubagentStop`, `SessionEnd`, or an agent's own event."),
  agent: z.string().describe("The agent, as in `--agent`; `unknown` for one that beckon does not know."),
  kind: z.enum(kinds).describe("Why you are notified."),
  sessionId: z.string().exactOptional().describe("The agent's id of the session."),
  project: z.string().describe("The last part of the working directory."),
  cwd: z.string().exactOptional().describe("The working directory."),
  title: z.string().describe("The title of the message."),
  body: z.string().describe("The text of the message; may be empty."),
  message: z.string().exactOptional().describe("What the agent itself said with the event."),
  reason: z.string().exactOptional().describe("Why a session ended or a turn failed."),
  session: factsSchema.describe("What was found out about the session; may be empty."),
});

/** A rendered notification, cut to the notifier's limits. */
export interface Message extends Readonly<z.output<typeof messageDataSchema>> {
  /** When the hook received the event, ISO 8601. */
  readonly at: string;
}

/** Unit in which a receiver measures length; `bytes` are UTF-8, `utf16` is the `length` of a JavaScript string. */
export type LengthUnit = "bytes" | "utf16" | "codePoints" | "graphemes";

/** Longest title and body that a receiver takes, in its own unit. */
export interface Limits {
  readonly unit: LengthUnit;
  readonly title: number;
  readonly body: number;
  /** The form that the receiver measures (escaped, say), made grapheme by grapheme; default: the text itself. */
  readonly countedAs?: (text: string) => string;
}
