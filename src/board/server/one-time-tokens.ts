import { randomBytes } from "node:crypto";
import type { ClockPort } from "../../core/ports.ts";
import { allowedPath, type IncomingRequest } from "./guard.ts";

/** Time within which a token must be used, milliseconds. A browser may take this long to start. */
const lifetimeMs = 60_000;

/** Tokens that each open the board once. Another user who sees one in a browser's arguments cannot use it again. */
export class OneTimeTokens {
  readonly #clock: ClockPort;
  readonly #expiries = new Map<string, number>();

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Creates a token. */
  create(): string {
    const token = randomBytes(18).toString("base64url");
    this.#expiries.set(token, this.#clock.uptimeMs() + lifetimeMs);
    return token;
  }

  /** True if a request has a valid token, which is then used up. */
  use(request: IncomingRequest, port: number): boolean {
    const nowMs = this.#clock.uptimeMs();
    const used = [...this.#expiries].find(
      ([token, untilMs]) => nowMs < untilMs && allowedPath(request, { token, port }) === "/",
    );
    if (used) this.#expiries.delete(used[0]);
    return used !== undefined;
  }
}
