import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { once } from "../core/once.ts";
import { eventNames, kinds } from "../core/vocabulary.ts";
import { duration } from "../text/duration.ts";

/** Creates a condition of a route: a list with at least one item. */
const condition = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).min(1).optional().describe(description);

/**
 * Parts of a route's schema. They are built on demand, because building them all would take most of the time of a
 * worker's start.
 */
const parts = {
  on: once(() => condition(z.string(), `Events: ${eventNames.join(", ")}, or an agent's own name for an event.`)),
  kinds: once(() => condition(z.enum(kinds), "Kinds of event that match.")),
  agents: once(() =>
    condition(z.enum(agents.map(({ name }) => name)), "Names of agents, as for the option `--agent`."),
  ),
  hosts: once(() =>
    condition(z.string().min(1).max(300), "Names of the agents' machines, or globs; `localhost` is this machine."),
  ),
  projects: once(() =>
    condition(
      z.string().min(1).max(4096),
      "Globs that match the folder in which the session started, or its git worktree; `~/` is your home folder.",
    ),
  ),
  reasons: once(() => condition(z.string(), "Reasons why a session ended or a turn failed.")),
  minTurn: once(() =>
    duration({ min: "1s", max: "1d" }).optional().describe("Only turns that took at least this long, such as `30s`."),
  ),
  when: once(() =>
    z
      .enum(["away", "here"])
      .optional()
      .describe("Only while you are `away` from this machine, or only while you are `here`."),
  ),
  after: once(() =>
    duration({ min: "1s", max: "1d" })
      .optional()
      .describe("Only requests and failures that are still open after this time, such as `5m`."),
  ),
  repeat: once(() =>
    z
      .strictObject({
        every: duration({ min: "10s", max: "1d" }).describe("Time between two reminders."),
        times: z.number().int().min(1).max(20).describe("Number of reminders, from 1 to 20."),
      })
      .optional()
      .describe('Reminders while an alert is open: `{ "every": "10m", "times": 2 }`.'),
  ),
  to: once(() => z.array(z.string()).min(1).describe("Names of notifiers.")),
};
type PartName = keyof typeof parts;
type Shape = { readonly [Name in PartName]: ReturnType<(typeof parts)[Name]> };

const partNames = Object.keys(parts) as PartName[];

/** Builds the schema of a route: an event that meets all conditions goes to its notifiers. */
export const routeSchema = once(() => buildSchema(partNames));

/**
 * Builds the schema for an entry of `routes` from the parts that the entry uses, or from all parts if the entry has
 * unknown members.
 */
export function routeSchemaFor(entry: unknown): ReturnType<typeof routeSchema> {
  const keys = Object.keys(Object(entry));
  const isKnown = keys.length > 0 && keys.every((name) => Object.hasOwn(parts, name));
  return isKnown ? buildSchema(partNames.filter((name) => name === "to" || keys.includes(name))) : routeSchema();
}

function buildSchema(names: readonly PartName[]) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, parts[name]()])) as unknown as Shape);
}
