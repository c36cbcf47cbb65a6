import * as z from "zod";
import { agents } from "../agents/registry.ts";
import { once } from "../core/once.ts";
import { eventNames, kinds } from "../core/vocabulary.ts";
import { duration } from "../text/duration.ts";

/** Creates a condition of a route: a list with at least one item. */
const condition = <Item extends z.ZodType>(item: Item, description: string) =>
  z.array(item).min(1).optional().describe(description);

/** Parts of a route's schema, built on demand, because building all of them dominates a worker's start. */
const parts = {
  on: once(() => condition(z.string(), `Events: ${eventNames.join(", ")}, or an agent's own.`)),
  kinds: once(() => condition(z.enum(kinds), "Kinds of event.")),
  agents: once(() => condition(z.enum(agents.map(({ name }) => name)), "Names of agents, as in `--agent`.")),
  hosts: once(() =>
    condition(
      z.string().min(1).max(300),
      "Globs on the name of the agent's machine, for events from a relay; `localhost` is this machine.",
    ),
  ),
  projects: once(() =>
    condition(
      z.string().min(1).max(4096),
      "Globs on the folder in which the session started, and on its worktree; `~/` is your home folder.",
    ),
  ),
  reasons: once(() => condition(z.string(), "Reasons of a SessionEnd or a failure.")),
  minTurn: once(() =>
    duration({ min: "1s", max: "1d" }).optional().describe("Only turns of at least this length, such as `30s`."),
  ),
  when: once(() =>
    z.enum(["away", "here"]).optional().describe("Only while you are `away` from this machine, or `here`."),
  ),
  after: once(() =>
    duration({ min: "1s", max: "1d" }).optional().describe("Only alerts still open after this long, such as `5m`."),
  ),
  repeat: once(() =>
    z
      .strictObject({
        every: duration({ min: "10s", max: "1d" }).describe("How long after the one before."),
        times: z.number().int().min(1).max(20).describe("How many times, from 1 to 20."),
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
