import type { Kind } from "./vocabulary.ts";

/** A session of which something waits for a person of the team. */
export interface TeamSession {
  /** For whom it waits. */
  readonly person: string;
  /** The machine of its agent. */
  readonly host: string;
  /** What tells it from all others. */
  readonly key: string;
  /** Of what waits, the most urgent. */
  readonly kind: Kind;
  readonly agent: string;
  readonly project: string;
  readonly title?: string | undefined;
  /** Since when the first of that kind waits, Unix milliseconds. */
  readonly atMs: number;
  /** Whether it is this machine that shares it. */
  readonly isOwn: boolean;
}
