import * as z from "zod";

/** Public key for `age` encryption, X25519 (`age1…`) or post-quantum (`age1pq1…`): https://age-encryption.org/v1 */
export const ageRecipient = z
  .string()
  .regex(/^age1(?:[02-9ac-hj-np-z]{58}|pq1[02-9ac-hj-np-z]{1900,2100})$/, "must be an age recipient, `age1…`");

/** Recipients that can decrypt a text: at least one, at most 50. */
export const ageRecipients = z.array(ageRecipient).min(1).max(50);
