import * as z from "zod";
import { anyObject, openObject } from "./open.ts";

/**
 * A user of the organization. Only the id is required, and the times are any text: the API document says neither which
 * fields are required nor the format of `createdAt` and `lastSignInAt`.
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
