import * as z from "zod";

/** The address of a server of NATS in the configuration. `nats://` is not encrypted. */
export const natsServer = z
  .string()
  .regex(/^(tls|nats):\/\/[^\s/@?#]+$/, "must be an address such as `tls://relay.example.org:4222`");
