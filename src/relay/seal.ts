import { DeliveryError, InputError } from "../core/errors.ts";
import { parseJson } from "../core/json-value.ts";
import type { Envelope } from "./envelope.ts";

/**
 * Encrypts an envelope's data for the recipients. Without recipients, returns the envelope unchanged. The `age` command
 * can decrypt the data too: https://age-encryption.org/v1
 * @throws {DeliveryError} `rejected` for a malformed recipient
 */
export async function seal(envelope: Envelope, recipients: readonly string[]): Promise<Envelope> {
  if (recipients.length === 0) return envelope;
  const { data, ...header } = envelope;
  const sealed = await sealText(JSON.stringify(data), recipients);
  return { ...header, datacontenttype: "application/age", data_base64: sealed.toString("base64") };
}

/** Encrypts a text for the recipients. @throws {DeliveryError} `rejected` for a malformed recipient */
export async function sealText(text: string, recipients: readonly string[]): Promise<Buffer> {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  try {
    for (const recipient of recipients) encrypter.addRecipient(recipient);
  } catch {
    throw new DeliveryError("rejected", "a recipient in `seal` is not an age key", {
      hint: "`beckon relay status` on your own machine shows the one it has.",
    });
  }
  return Buffer.from(await encrypter.encrypt(text));
}

/**
 * Parses an envelope's data, after decrypting it if it is sealed.
 * @param identity this machine's secret key, `AGE-SECRET-KEY-1…`
 * @throws {InputError} `relay.sealed` if the data cannot be decrypted, `relay.data` if the data is not JSON
 */
export async function unseal(envelope: Envelope, identity: string | undefined): Promise<unknown> {
  if (envelope.data_base64 === undefined) return envelope.data;
  if (identity === undefined) {
    throw new InputError("relay.sealed", "it is sealed, and there is no `relay.identity` here that would open it");
  }
  const text = await unsealText(Buffer.from(envelope.data_base64, "base64"), identity);
  if (text === undefined) throw new InputError("relay.sealed", "it is sealed for another key than `relay.identity`");
  const data = parseJson(text);
  if (data === undefined) throw new InputError("relay.data", "what is sealed in it is no JSON");
  return data;
}

/** Decrypts a text; undefined if the key does not fit or the text is not in age's format. */
export async function unsealText(sealed: Uint8Array, identity: string): Promise<string | undefined> {
  const { Decrypter } = await import("age-encryption");
  try {
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    return await decrypter.decrypt(sealed, "text");
  } catch {
    return undefined;
  }
}

/** Generates an age key pair: the secret key and its recipient. */
export async function newIdentity(): Promise<{ readonly identity: string; readonly recipient: string }> {
  const { generateIdentity, identityToRecipient } = await import("age-encryption");
  const identity = await generateIdentity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Derives the recipient of a secret key. @throws {InputError} `relay.identity` for a malformed key */
export async function deriveRecipient(identity: string): Promise<string> {
  const { identityToRecipient } = await import("age-encryption");
  try {
    return await identityToRecipient(identity);
  } catch {
    throw new InputError("relay.identity", "it is no secret key of age, `AGE-SECRET-KEY-1…`");
  }
}
