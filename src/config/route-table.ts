import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { duration } from "../core/duration.ts";
import { eventNames, kinds } from "../core/vocabulary.ts";

/** A condition of a route: a list with at least one item. */
const condition = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).min(1).optional().describe(description);

/** A rule: an event that meets all of its conditions goes to the notifiers it names. */
export const routeSchema = z.strictObject({
  on: condition(z.string(), `Events: ${eventNames.join(", ")}, or an agent's own.`),
  kinds: condition(z.enum(kinds), "Why you are called."),
  agents: condition(z.enum(agents.map(({ name }) => name)), "Agents."),
  hosts: condition(
    z.string().min(1).max(300),
    "Globs on the name of the agent's machine, of those that a relay brings in; `localhost` is this one.",
  ),
  projects: condition(z.string().min(1).max(4096), "Globs on the working directory; `~/` is your home folder."),
  reasons: condition(z.string(), "Reasons of a SessionEnd, or of a failure."),
  minTurn: duration({ min: "1s", max: "1d" }).optional().describe("Only ends of turns that took at least so long."),
  when: z
    .enum(["away", "here"])
    .optional()
    .describe("Only while you are away from this machine, or only while you are here."),
  after: duration({ min: "1s", max: "1d" }).optional().describe("Only what is still open after so long: `5m`."),
  repeat: z
    .strictObject({
      every: duration({ min: "10s", max: "1d" }).describe("How long after the one before."),
      times: z.number().int().min(1).max(20).describe("How many times, from 1 to 20."),
    })
    .optional()
    .describe('Tells it again while it is still open: `{ "every": "10m", "times": 2 }`.'),
  to: z.array(z.string()).min(1).describe("Names of notifiers."),
});
