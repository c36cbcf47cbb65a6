import * as z from "zod";
import { lengthBetween } from "../arguments.ts";
import type { BodyOf, Endpoint } from "../endpoint.ts";
import { type Computer, computerSchema } from "../schemas/computer.ts";
import type { CallOptions, Transport } from "../transport.ts";

export const updateComputer = {
  name: "computers.update",
  summary: "Changes a computer's name, host or remote user.",
  method: "PATCH",
  base: "baseUrl",
  path: "/api/v0/computers/{computerId}",
  body: z.strictObject({
    name: lengthBetween(1, 63).optional().describe("A new name, 1 to 63 characters."),
    hostId: z.guid("must be a UUID").optional().describe("The id of its host, a UUID."),
    remoteUser: lengthBetween(1, 63).optional().describe("The user there, 1 to 63 characters."),
  }),
  status: 200,
  reply: computerSchema,
} as const satisfies Endpoint;

export const installDeps = {
  name: "computers.installDeps",
  summary: "Retries the step of a computer's provisioning that installs dependencies.",
  method: "POST",
  base: "baseUrl",
  path: "/api/v0/computers/{computerId}/install-deps",
  status: 202,
  reply: computerSchema,
} as const satisfies Endpoint;

/** Computers that sessions run on. The roles they take are not shown. Nothing here is ever sent twice. */
export class Computers {
  readonly #transport: Transport;
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The computer as it is afterwards. */
  update(computerId: string, body: BodyOf<typeof updateComputer>, options?: CallOptions): Promise<Computer> {
    return this.#transport.call(updateComputer, { parts: { computerId }, body }, options);
  }

  /** The computer; which `status` it then has is not shown. */
  installDeps(computerId: string, options?: CallOptions): Promise<Computer> {
    return this.#transport.call(installDeps, { parts: { computerId } }, options);
  }
}
