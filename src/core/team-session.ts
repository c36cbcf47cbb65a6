import type { Kind } from "./vocabulary.ts";

/** Session that waits for a member of the team. */
export interface TeamSession {
  /** Name of the team member for whom the session waits. */
  readonly person: string;
  /** Host name of the machine on which the session's agent runs. */
  readonly host: string;
  /** Unique key of the session. */
  readonly key: string;
  /** Kind of the session's most urgent open concern. */
  readonly kind: Kind;
  readonly agent: string;
  readonly project: string;
  readonly title?: string | undefined;
  /** Arrival time of the oldest open concern of that kind, Unix milliseconds. */
  readonly atMs: number;
  /** True if it is this machine that shares the session with the team. */
  readonly isOwn: boolean;
}
