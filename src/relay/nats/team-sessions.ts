import type { TeamSession } from "../../core/team-session.ts";
import { kinds } from "../../core/vocabulary.ts";
import type { PersonCredentials } from "./credentials.ts";
import { sessionMaxAgeMs } from "./ensure-streams.ts";
import type { BucketEntry } from "./read-bucket.ts";
import { readSessionKey, unpackSession } from "./shared-session.ts";

/** Maximum number of sessions kept for a team. A real team never has more. */
const maxSessions = 5_000;

/** A team's sessions, read from the bucket. */
export class TeamSessions {
  readonly #machine: string;
  readonly #entries = new Map<string, { readonly session: TeamSession | undefined; readonly putAtMs: number }>();

  /** @param machine id of this machine, whose sessions are marked as `isOwn` */
  constructor(machine: string) {
    this.#machine = machine;
  }

  /** Adds or removes the session in an entry. User and host come from the key, which the server has checked. */
  async add({ key, value, atMs }: BucketEntry, { team, identity }: PersonCredentials): Promise<void> {
    const owner = readSessionKey(key, team);
    if (!owner) return;
    this.#entries.delete(key);
    if (value === undefined || this.#entries.size >= maxSessions) return;
    const shared = await unpackSession(value, identity);
    const session = shared && { ...shared, ...owner, isOwn: shared.machine === this.#machine };
    this.#entries.set(key, { session, putAtMs: atMs });
  }

  /** Lists the sessions by urgency. Within the same urgency, the oldest comes first. */
  all(nowMs: number): TeamSession[] {
    const sessions = this.#current(nowMs).flatMap(({ session }) => session ?? []);
    return sessions.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.atMs - b.atMs);
  }

  /** Counts unreadable sessions: malformed, or sealed with another key. */
  countUnreadable(nowMs: number): number {
    return this.#current(nowMs).filter(({ session }) => !session).length;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Returns the entries that the server still keeps. */
  #current(nowMs: number) {
    return [...this.#entries.values()].filter(({ putAtMs }) => nowMs - putAtMs < sessionMaxAgeMs);
  }
}
