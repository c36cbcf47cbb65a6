import { hostname } from "node:os";
import * as z from "zod";
import type { Alert } from "../../attention/alert.ts";
import { listWaiting, readTitle } from "../../attention/sessions.ts";
import { parseJson } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { relayedName, relayedWord } from "../../core/relayed.ts";
import { kinds } from "../../core/vocabulary.ts";
import type { Paths } from "../../files/paths.ts";
import { cut } from "../../text/cut.ts";
import { wireIds } from "../envelope.ts";
import { relayFiles } from "../relay-status.ts";
import { deriveRecipient, sealText, unsealText } from "../seal.ts";
import { hostToken, nameToken } from "./names.ts";

/** A session shared with the team. Read from the server, so not trusted. */
const sharedSessionSchema = z.object({
  /** Unguessable id of the sharing machine. */
  machine: z.string().max(64),
  kind: z.enum(kinds),
  agent: relayedName,
  project: relayedName,
  title: relayedWord,
  /** Unix milliseconds, at most the largest `Date`. */
  atMs: z.number().min(0).max(8.64e15),
});
export type SharedSession = Readonly<z.output<typeof sharedSessionSchema>>;

/** Returns the id that marks this machine's entries in the bucket. */
export function machineId(paths: Pick<Paths, "relay">): string {
  return wireIds(relayFiles(paths).secret)("this machine");
}

/** Minimum waiting time before a session is shared, milliseconds. Most sessions are answered sooner. */
const minShareAgeMs = 2_000;
const maxTitleChars = 100;

/** Collects the open sessions from alerts, by host and session key: the last two parts of a bucket key. */
export function sessionsToShare(
  alerts: readonly Alert[],
  machine: string,
  nowMs: number,
): ReadonlyMap<string, SharedSession> {
  const shared = alerts.flatMap((alert): [string, SharedSession][] => {
    const [first] = listWaiting([alert]);
    if (!first || nowMs - first.concern.atMs < minShareAgeMs) return [];
    const { agent, project, host = hostname(), key } = alert;
    const { kind, atMs } = first.concern;
    const title = cut(readTitle(alert), maxTitleChars, "graphemes") || undefined;
    return [[`${toKeyToken(host)}.${key}`, { machine, kind, agent, project, title, atMs }]];
  });
  return new Map(shared);
}

/** Converts a host name to a key token without dots: `box.example.org` → `box-example-org`. */
function toKeyToken(host: string): string {
  const token = host
    .replace(/[^A-Za-z0-9_-]/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 63);
  return token || "machine";
}

/** Parses a session's bucket key; undefined for malformed keys and other teams. */
export function readSessionKey(key: string, team: string) {
  const [found, person = "", host = "", session = "", ...more] = key.split(".");
  const isSessionKey =
    found === team && nameToken.test(person) && hostToken.test(host) && /^[0-9a-f]{32}$/.test(session);
  return isSessionKey && more.length === 0 ? { person, host, key: session } : undefined;
}

const sealedPrefix = Buffer.from("age-encryption.org/");

/** Encodes a session for the bucket. Seals it for the team if the team has a key. */
export async function packSession(session: SharedSession, identity: string | undefined): Promise<Buffer> {
  const text = JSON.stringify(omitUndefined(session));
  return identity === undefined ? Buffer.from(text) : sealText(text, [await deriveRecipient(identity)]);
}

/** Decodes a session from the bucket; undefined if it is malformed or sealed with another key. */
export async function unpackSession(
  value: Uint8Array,
  identity: string | undefined,
): Promise<SharedSession | undefined> {
  const isSealed = sealedPrefix.equals(value.subarray(0, sealedPrefix.length));
  const text = isSealed ? await unsealText(value, identity ?? "") : Buffer.from(value).toString("utf8");
  return sharedSessionSchema.safeParse(parseJson(text ?? "")).data;
}
