import type { Kind } from "./vocabulary.ts";

/** Session with a concern that waits for a person of the team. */
export interface TeamSession {
  /** Person it waits for. */
  readonly person: string;
  /** Machine of its agent. */
  readonly host: string;
  /** Unique key of the session. */
  readonly key: string;
  /** Most urgent kind of its waiting concerns. */
  readonly kind: Kind;
  readonly agent: string;
  readonly project: string;
  readonly title?: string | undefined;
  /** Start of the first wait of that kind, Unix milliseconds. */
  readonly atMs: number;
  /** True if this machine shares the session. */
  readonly isOwn: boolean;
}
