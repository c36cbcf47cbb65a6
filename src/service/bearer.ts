import * as z from "zod";
import { redactor } from "../core/redactor.ts";
import { secretPlaceholder } from "../text/clean.ts";
import { ArgumentError, AuthenticationError, ServiceError } from "./error.ts";
import type { Redact } from "./excerpt.ts";

/** Key or JWT: printable ASCII without spaces, as needed after `Bearer` in a header. */
export const bearerSchema = z.string().regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces");

/** Key or JWT, or a function that returns it. */
export type BearerSource = string | (() => string | Promise<string>);

/**
 * Returns a key or JWT if it can be sent in a header.
 * @param name option of the caller, for the error
 * @throws {ArgumentError}
 */
export function checkKey(name: string, value: unknown): string {
  const bearer = bearerSchema.safeParse(value);
  if (bearer.success) return bearer.data;
  throw new ArgumentError(name, `\`${name}\` must be printable ASCII without spaces`);
}

/** Key or JWT, or a function that returns it, called at the first request and whenever the service rejects the key. */
export class ServiceKey {
  readonly #name: "apiKey" | "jwt";
  readonly #source: BearerSource;
  /** Functions that each remove one of the keys received so far. */
  readonly #redactors: Redact[] = [];
  #current: Promise<string> | undefined;

  constructor(name: "apiKey" | "jwt", source: BearerSource) {
    this.#name = name;
    this.#source = source;
    if (typeof source === "string") this.#current = Promise.resolve(this.#accept(source));
  }

  /** Removes all keys from a text. */
  readonly redact: Redact = (text) => this.#redactors.reduce((shown, redact) => redact(shown), text);

  /**
   * Gets the key.
   * @throws {ServiceError} `AuthenticationError` if the function fails, `ArgumentError` for an invalid key
   */
  get(): Promise<string> {
    this.#current ??= this.#request();
    return this.#current;
  }

  /** Tells if another key may be available after the service has rejected one. Forgets the rejected key. */
  async canRenew(rejected: string): Promise<boolean> {
    if (typeof this.#source === "string") return false;
    const current = await this.#current?.catch(() => undefined);
    if (current === rejected) this.#current = undefined;
    return true;
  }

  async #request(): Promise<string> {
    const source = this.#source as () => string | Promise<string>;
    try {
      return this.#accept(await source());
    } catch (error) {
      this.#current = undefined;
      if (error instanceof ServiceError) throw error;
      throw new AuthenticationError("auth", `the function \`${this.#name}\` failed`, { cause: error });
    }
  }

  #accept(value: unknown): string {
    const bearer = checkKey(this.#name, value);
    this.#redactors.push(bearerRedactor(bearer));
    if (this.#redactors.length > maxRedactors) this.#redactors.shift();
    return bearer;
  }
}

/** Number of keys to keep removing, because a late reply may still contain an earlier one. */
const maxRedactors = 10;

/** Shortest key that is replaced inside a text, in characters. A shorter key could be part of any word. */
const minRedactedChars = 6;

/**
 * Makes a function that removes a key or JWT from texts in all its forms: unchanged, with `Bearer`, and escaped as in
 * JSON. A text with a very short key is replaced as a whole.
 */
function bearerRedactor(bearer: string): Redact {
  if (bearer.length < minRedactedChars) return (text) => (text.includes(bearer) ? secretPlaceholder : text);
  return redactor([bearer, `Bearer ${bearer}`, JSON.stringify(bearer).slice(1, -1)]);
}
