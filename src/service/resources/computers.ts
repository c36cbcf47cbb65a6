import * as z from "zod";
import { lengthBetween } from "../arguments.ts";
import type { CallOptions } from "../call-options.ts";
import type { BodyOf, Endpoint } from "../endpoint.ts";
import { type Computer, computerSchema } from "../schemas/objects.ts";
import type { ServiceCall } from "../service-call.ts";
import { Resource } from "../transport.ts";

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
