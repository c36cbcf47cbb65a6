import type { Transport } from "../transport.ts";

/** Part of the client: the operations on one kind of object. */
export abstract class Resource {
  protected readonly transport: Transport;
  constructor(transport: Transport) {
    this.transport = transport;
  }
}
