import * as z from "zod";

/** Address of a NATS server, as in the configuration. Connections to a `nats://` address are not encrypted. */
export const natsServer = z
  .string()
  .regex(/^(tls|nats):\/\/[A-Za-z0-9._:[\]%-]{1,255}$/, "must be an address such as `tls://relay.example.org:4222`");
