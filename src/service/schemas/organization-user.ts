import * as z from "zod";
import { anyObject, openObject } from "./open.ts";

/**
 * A user of the organization. Which fields are required, and the format of `createdAt` and `lastSignInAt`, is not shown:
 * all but the id are optional texts.
 */
export const organizationUserSchema = openObject({
  id: z.string(),
  email: z.string().optional(),
  createdAt: z.string().optional(),
  metadata: anyObject.optional(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  lastSignInAt: z.string().optional(),
});
export type OrganizationUser = z.output<typeof organizationUserSchema>;
