import type { Role } from "./access.ts";
import type { State } from "./state.ts";

/** A request that passed the check of its access. */
export interface Call {
  readonly query: URLSearchParams;
  /** Parts of the path, in the order of the template. */
  readonly parts: readonly string[];
  readonly body: string;
  readonly state: State;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/** An endpoint of the fake, written from the API document, not from the client. */
export interface Route {
  readonly host: "base" | "app";
  readonly method: "GET" | "POST" | "PATCH";
  /** Path template, with `{name}` in place of an id. */
  readonly path: string;
  /** Known query parameters. Any other is rejected to reveal a client's mistake. */
  readonly query: readonly string[];
  readonly roles?: readonly Role[];
  readonly takesJwt: boolean;
  readonly status: 200 | 201 | 202;
  /** @throws {Refusal} */
  answer(call: Call): unknown;
}
