import * as z from "zod";
import { lengthBetween } from "../arguments.ts";
import type { CallOptions } from "../call-options.ts";
import type { BodyOf, Endpoint } from "../endpoint.ts";
import { formatted, openEnum, openObject, unixMs } from "../open-schema.ts";
import type { ServiceCall } from "../service-call.ts";
import { Resource } from "../transport.ts";

export const providerTypes = ["byom", "hosted"] as const;
export const providerTypeSchema = openEnum(providerTypes);

/** State of a computer. The API document does not say when a computer moves from one state to another. */
export const computerStatuses = ["provisioning", "active", "error"] as const;
export const computerStatusSchema = openEnum(computerStatuses);

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

export const updateComputer = {
  name: "computers.update",
  summary: "Change a computer's name, host or remote user.",
  method: "PATCH",
  base: "baseUrl",
  path: "/api/v0/computers/{computerId}",
  body: z.strictObject({
    name: lengthBetween(1, 63).optional().describe("New name, 1 to 63 characters."),
    hostId: z.guid("must be a UUID").optional().describe("Id (UUID) of the host that runs the computer."),
    remoteUser: lengthBetween(1, 63)
      .optional()
      .describe("Name of the remote user on the computer, 1 to 63 characters."),
  }),
  status: 200,
  reply: computerSchema,
} as const satisfies Endpoint;

export const installDeps = {
  name: "computers.installDeps",
  summary: "Retry the provisioning step that installs a computer's dependencies.",
  method: "POST",
  base: "baseUrl",
  path: "/api/v0/computers/{computerId}/install-deps",
  status: 202,
  reply: computerSchema,
} as const satisfies Endpoint;

/** Computers that run sessions. No request is ever retried. The API document does not name the roles needed. */
export class Computers extends Resource {
  /** Changes a computer, and returns the changed computer. */
  update(computerId: string, body: BodyOf<typeof updateComputer>, options?: CallOptions): ServiceCall<Computer> {
    return this.transport.call(updateComputer, { ids: { computerId }, body }, options);
  }

  /** Retries a failed step of provisioning, and returns the computer. */
  installDeps(computerId: string, options?: CallOptions): ServiceCall<Computer> {
    return this.transport.call(installDeps, { ids: { computerId } }, options);
  }
}

export type ProviderType = z.output<typeof providerTypeSchema>;

export type ComputerStatus = z.output<typeof computerStatusSchema>;

export type ProvisioningStep = z.output<typeof provisioningStepSchema>;

export type Computer = z.output<typeof computerSchema>;
