import type { Role } from "./access.ts";
import type { State } from "./state.ts";

export interface Call {
  readonly query: URLSearchParams;
  /** Parts of the path, in the order of the template. */
  readonly parts: readonly string[];
  readonly body: string;
  readonly state: State;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/** One endpoint of the sandbox, written from section 4 of the document and not from the client. */
export interface Route {
  readonly host: "base" | "app";
  readonly method: "GET" | "POST" | "PATCH";
  /** With `{name}` for a part. */
  readonly path: string;
  /** Query parameters it knows; any other is refused, so that a client that invents one is found out. */
  readonly query: readonly string[];
  readonly roles?: readonly Role[];
  readonly takesJwt: boolean;
  readonly status: 200 | 201 | 202;
  /** @throws {Refusal} */
  answer(call: Call): unknown;
}
