import { createPrivateKey, sign } from "node:crypto";
import { createUser, fromSeed } from "@nats-io/nkeys";
import type { Authenticator } from "@nats-io/transport-node";

/** A new user of a server: the secret, `SU…`, and the key by which the server knows who has it, `U…`. */
export function newUserKey(): { readonly seed: string; readonly key: string } {
  const pair = createUser();
  return { seed: new TextDecoder().decode(pair.getSeed()), key: pair.getPublicKey() };
}

/** `U…` @param seed `SU…` */
export function keyOf(seed: string): string {
  return fromSeed(new TextEncoder().encode(seed)).getPublicKey();
}

/** Where the server answers a user: nobody else may listen there. */
export function inboxOf(key: string): string {
  return `_INBOX.${key}`;
}

/**
 * Proves to a server that this is the user of a seed. The client library signs in JavaScript, which takes 10 ms of
 * processor.
 */
export function authenticatorOf(seed: string): Authenticator {
  const nkey = keyOf(seed);
  // What Ed25519 keys begin with as PKCS #8: https://www.rfc-editor.org/rfc/rfc8410#section-7
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), rawSeedOf(seed)]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return (nonce = "") => ({ nkey, sig: sign(null, Buffer.from(nonce), key).toString("base64url") });
}

/**
 * The 32 bytes in base32 between two of a prefix and two of a checksum:
 * https://docs.nats.io/reference/reference-protocols/nkeys
 */
function rawSeedOf(seed: string): Buffer {
  const bits = [...seed].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  );
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).subarray(2, 34);
}
