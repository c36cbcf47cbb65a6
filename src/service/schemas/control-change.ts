import * as z from "zod";
import { anyObject, openObject } from "./open.ts";

/**
 * One change of the organization-wide settings. `settings` is a generic object, for its properties may be added, lost or
 * renamed; `knownSettings` reads the known ones. It can hold keys of custom models: do not print it unasked.
 */
export const controlChangeSchema = openObject({
  revision: z.int(),
  settings: anyObject,
  user: openObject({ id: z.string(), email: z.string(), name: z.string() }),
  updatedAt: z.string(),
});
export type ControlChange = z.output<typeof controlChangeSchema>;
