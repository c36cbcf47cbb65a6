import * as z from "zod";
import { formatted, openEnum, openObject, unixMs } from "./open.ts";

export const providerTypes = ["byom", "hosted"] as const;
export const providerTypeSchema = openEnum(providerTypes);
export type ProviderType = z.output<typeof providerTypeSchema>;

/** State of a computer. The API document does not say when a computer moves from one state to another. */
export const computerStatuses = ["provisioning", "active", "error"] as const;
export const computerStatusSchema = openEnum(computerStatuses);
export type ComputerStatus = z.output<typeof computerStatusSchema>;

/** Step of provisioning a computer. The API document gives neither the required fields nor the values of `status`. */
export const provisioningStepSchema = openObject({
  id: z.string().optional(),
  name: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  installSessionId: z.string().optional(),
  startedAt: unixMs.optional(),
  completedAt: unixMs.optional(),
});
export type ProvisioningStep = z.output<typeof provisioningStepSchema>;

/** Computer that runs sessions. */
export const computerSchema = openObject({
  id: z.string(),
  name: z.string(),
  providerType: providerTypeSchema,
  createdAt: unixMs,
  hostId: formatted("uuid").optional(),
  hostname: z.string().optional(),
  status: computerStatusSchema.optional(),
  provisioningSteps: z.array(provisioningStepSchema).optional(),
  relayClientUrl: formatted("uri").optional(),
  relayAgentUrl: formatted("uri").optional(),
  remoteUser: z.string().optional(),
});
export type Computer = z.output<typeof computerSchema>;
