import type { TeamSession } from "../../core/team-session.ts";
import { kinds } from "../../core/vocabulary.ts";
import type { BucketEntry } from "./bucket-entries.ts";
import type { PersonCredentials } from "./credentials.ts";
import { sessionKeptMs } from "./objects.ts";
import { readSessionKey, unpackSession } from "./shared-session.ts";

/** Most sessions of a team that are shown; what is there beyond is nobody's honest work. */
const maxSessions = 5_000;

/** What a bucket says of a team's sessions. */
export class TeamSessions {
  readonly #machine: string;
  readonly #found = new Map<string, { readonly session: TeamSession | undefined; readonly putAtMs: number }>();

  /** @param machine by what this machine's own are known */
  constructor(machine: string) {
    this.#machine = machine;
  }

  /** Takes in what the bucket says of one. Whose it is and where is what the key says, which the server has checked. */
  async take({ key, value, atMs }: BucketEntry, { team, identity }: PersonCredentials): Promise<void> {
    const whose = readSessionKey(key, team);
    if (!whose) return;
    this.#found.delete(key);
    if (value === undefined || this.#found.size >= maxSessions) return;
    const shared = await unpackSession(value, identity);
    const session = shared && { ...shared, ...whose, isOwn: shared.machine === this.#machine };
    this.#found.set(key, { session, putAtMs: atMs });
  }

  /** The most urgent first, and of these the longest. */
  all(nowMs: number): TeamSession[] {
    const sessions = this.#kept(nowMs).flatMap(({ session }) => session ?? []);
    return sessions.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.atMs - b.atMs);
  }

  /** How many are sealed for others, or nobody's. */
  unreadable(nowMs: number): number {
    return this.#kept(nowMs).filter(({ session }) => !session).length;
  }

  clear(): void {
    this.#found.clear();
  }

  /** What the server forgets is not told. */
  #kept(nowMs: number) {
    return [...this.#found.values()].filter(({ putAtMs }) => nowMs - putAtMs < sessionKeptMs);
  }
}
