import type { Transport } from "../transport.ts";

/** Operations on one kind of object; a part of the client. */
export abstract class Resource {
  protected readonly transport: Transport;
  constructor(transport: Transport) {
    this.transport = transport;
  }
}
