import * as z from "zod";
import { openEnum, openObject } from "./open.ts";

export const providerTypes = ["byom", "hosted"] as const;
export const providerTypeSchema = openEnum(providerTypes);
export type ProviderType = z.output<typeof providerTypeSchema>;

/** How a computer is. When it passes from one to another is not shown. */
export const computerStatuses = ["provisioning", "active", "error"] as const;
export const computerStatusSchema = openEnum(computerStatuses);
export type ComputerStatus = z.output<typeof computerStatusSchema>;

/** A step of setting a computer up. The values of `status`, and which fields are required, are not shown. */
export const provisioningStepSchema = openObject({
  id: z.string().optional(),
  name: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  installSessionId: z.string().optional(),
  startedAt: z.number().optional(),
  completedAt: z.number().optional(),
});
export type ProvisioningStep = z.output<typeof provisioningStepSchema>;

/** A computer that sessions run on. */
export const computerSchema = openObject({
  id: z.string(),
  name: z.string(),
  providerType: providerTypeSchema,
  createdAt: z.number(),
  hostId: z.string().optional(),
  hostname: z.string().optional(),
  status: computerStatusSchema.optional(),
  provisioningSteps: z.array(provisioningStepSchema).optional(),
  relayClientUrl: z.string().optional(),
  relayAgentUrl: z.string().optional(),
  remoteUser: z.string().optional(),
});
export type Computer = z.output<typeof computerSchema>;
