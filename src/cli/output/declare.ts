import * as z from "zod";
import { scopes } from "../../core/agent-settings.ts";
import { kinds, statuses } from "../../core/vocabulary.ts";

/** Output of a command with `--json`: one object, or one object per line. */
export interface CommandOutput {
  readonly form: "object" | "lines";
  readonly schema: z.ZodType;
}

/** Declares the output of a command that prints one object. */
export function printsObject<Schema extends z.ZodType>(schema: Schema) {
  return { form: "object", schema } as const;
}

/** Declares the output of a command that prints one object per line; none for an empty list. */
export function printsLines<Schema extends z.ZodType>(schema: Schema) {
  return { form: "lines", schema } as const;
}

/** Instant in UTC, ISO 8601. Names of such fields end in `At`, except in the journal. */
export const time = z.iso.datetime();
/** Whole milliseconds. Names of such fields end in `Ms`. */
export const wholeMs = z.int().nonnegative();
/** Kind of an event. */
export const kind = z.enum(kinds).meta({ id: "Kind" });
/** Status in a journal line. */
export const status = z.enum(statuses).meta({ id: "JournalStatus" });
/** Scope of an agent's settings file. */
export const scope = z.enum(scopes).meta({ id: "Scope" });
/** Number of things. */
export const count = z.int().nonnegative();

/** Declares a list. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}
