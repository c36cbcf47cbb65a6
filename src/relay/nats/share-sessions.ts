import { isDeepStrictEqual } from "node:util";
import { type KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import type { PersonCredentials } from "./credentials.ts";
import { sessionsBucket } from "./names.ts";
import { readBucket } from "./read-bucket.ts";
import { packSession, type SharedSession, unpackSession } from "./shared-session.ts";

interface SharedEntry {
  /** Session as it was last written; undefined if an earlier process wrote it. */
  readonly session: SharedSession | undefined;
  readonly atMs: number;
}

/** This machine's entries in the bucket of shared sessions. */
export class SharedSessions {
  readonly #bucket: KV;
  readonly #credentials: PersonCredentials;
  readonly #refreshMs: number;
  readonly #shared: Map<string, SharedEntry>;

  private constructor(bucket: KV, credentials: PersonCredentials, refreshMs: number, leftKeys: readonly string[]) {
    this.#bucket = bucket;
    this.#credentials = credentials;
    this.#refreshMs = refreshMs;
    this.#shared = new Map(leftKeys.map((key) => [key, { session: undefined, atMs: Number.NEGATIVE_INFINITY }]));
  }

  /**
   * Opens the bucket and finds the entries that this machine wrote earlier.
   * @param machine id of this machine
   * @param refreshMs interval for writing unchanged sessions again before the server drops them, milliseconds
   */
  static async open(
    connection: NatsConnection,
    credentials: PersonCredentials,
    machine: string,
    refreshMs: number,
  ): Promise<SharedSessions> {
    const leftKeys: string[] = [];
    const query = { bucket: sessionsBucket, keys: `${buildPrefix(credentials)}.>`, isLive: false };
    for await (const { key, value } of readBucket(connection, credentials, query)) {
      const session = value && (await unpackSession(value, credentials.identity));
      if (session?.machine === machine) leftKeys.push(key);
    }
    const bucket = await new Kvm(connection).open(sessionsBucket);
    return new SharedSessions(bucket, credentials, refreshMs, leftKeys);
  }

  /**
   * Writes open sessions to the bucket and deletes this machine's other entries.
   * @param waiting open sessions by the end of their bucket keys, `<host>.<session key>`
   * @throws the client library's errors; the next call tries again
   */
  async update(waiting: ReadonlyMap<string, SharedSession>, nowMs: number): Promise<void> {
    const wanted = new Map(
      [...waiting].map(([suffix, session]) => [`${buildPrefix(this.#credentials)}.${suffix}`, session]),
    );
    for (const [key, session] of wanted) {
      const known = this.#shared.get(key);
      if (known && nowMs - known.atMs < this.#refreshMs && isDeepStrictEqual(known.session, session)) continue;
      await this.#bucket.put(key, await packSession(session, this.#credentials.identity));
      this.#shared.set(key, { session, atMs: nowMs });
    }
    for (const key of this.#shared.keys()) {
      if (wanted.has(key)) continue;
      await this.#bucket.delete(key);
      this.#shared.delete(key);
    }
  }
}

function buildPrefix({ team, person }: PersonCredentials): string {
  return `${team}.${person}`;
}
