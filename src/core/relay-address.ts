import * as z from "zod";

/** Address of a NATS server, as in the configuration. Connections to a `nats://` address are not encrypted. */
const natsServer = z
  .string()
  .regex(/^(tls|nats):\/\/[A-Za-z0-9._:[\]%-]{1,255}$/, "must be an address such as `tls://relay.example.org:4222`");

/** List of 1 to 20 servers that keep the same events. */
export const natsServers = z.array(natsServer).min(1).max(20);

/** Public key for `age` encryption, X25519 (`age1…`) or post-quantum (`age1pq1…`): https://age-encryption.org/v1 */
export const ageRecipient = z
  .string()
  .regex(/^age1(?:[02-9ac-hj-np-z]{58}|pq1[02-9ac-hj-np-z]{1900,2100})$/, "must be an age recipient, `age1…`");

/** List of 1 to 50 recipients, each of which can decrypt the text. */
export const ageRecipients = z.array(ageRecipient).min(1).max(50);
