import * as z from "zod";
import { anyObject, formatted, openObject } from "./open.ts";

/**
 * User of the organization. Only the id is required, and times may be any text: the API document gives neither the
 * required fields nor the format of `createdAt` and `lastSignInAt`.
 */
export const organizationUserSchema = openObject({
  id: z.string(),
  email: formatted("email").optional(),
  createdAt: z.string().optional(),
  metadata: anyObject.optional(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  lastSignInAt: z.string().optional(),
});
export type OrganizationUser = z.output<typeof organizationUserSchema>;
