import { hostname } from "node:os";
import * as z from "zod";
import type { Alert } from "../../attention/alert.ts";
import { titleIn, waitingIn } from "../../attention/sessions.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { relayedName, relayedWord } from "../../core/relayed.ts";
import { kinds } from "../../core/vocabulary.ts";
import type { Paths } from "../../files/paths.ts";
import { cut } from "../../text/cut.ts";
import { relayFiles } from "../relay-files.ts";
import { recipientOf, sealText, unsealText } from "../seal.ts";
import { wireIds } from "../wire-id.ts";
import { hostToken, nameToken } from "./names.ts";

/** What the team is told of a session. Read as what a stranger may have written. */
const sharedSessionSchema = z.object({
  /** Which of the person's machines shares it: an id that nobody can guess. */
  machine: z.string().max(64),
  kind: z.enum(kinds),
  agent: relayedName,
  project: relayedName,
  title: relayedWord,
  /** Within what a date can be. */
  atMs: z.number().min(0).max(8.64e15),
});
export type SharedSession = Readonly<z.output<typeof sharedSessionSchema>>;

/** By what this machine's sessions are known in the bucket as its own. */
export function machineId(paths: Pick<Paths, "relay">): string {
  return wireIds(relayFiles(paths).secret)("this machine");
}

/** What is younger is not worth sharing: most is answered at once. */
const youngMs = 2_000;
const maxTitleChars = 100;

/** What waits in alerts, by host and session: the end of the keys under which it is shared. */
export function sessionsToShare(
  alerts: readonly Alert[],
  machine: string,
  nowMs: number,
): ReadonlyMap<string, SharedSession> {
  const shared = alerts.flatMap((alert): [string, SharedSession][] => {
    const [first] = waitingIn([alert]);
    if (!first || nowMs - first.concern.atMs < youngMs) return [];
    const { agent, project, host = hostname(), key } = alert;
    const { kind, atMs } = first.concern;
    const title = cut(titleIn(alert), maxTitleChars, "graphemes") || undefined;
    return [[`${tokenOf(host)}.${key}`, { machine, kind, agent, project, title, atMs }]];
  });
  return new Map(shared);
}

/** A machine's name as part of a key, which has no dots: `box.example.org` → `box-example-org`. */
function tokenOf(host: string): string {
  const token = host
    .replace(/[^A-Za-z0-9_-]/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 63);
  return token || "machine";
}

/** Whose session a key names; undefined for what is no key of a session of the team's. */
export function readSessionKey(key: string, team: string) {
  const [found, person = "", host = "", session = "", ...more] = key.split(".");
  const isOne = found === team && nameToken.test(person) && hostToken.test(host) && /^[0-9a-f]{32}$/.test(session);
  return isOne && more.length === 0 ? { person, host, key: session } : undefined;
}

const sealedStart = Buffer.from("age-encryption.org/");

/** A session as its value in the bucket: sealed for all who have the team's key, as it is where there is none. */
export async function packSession(session: SharedSession, identity: string | undefined): Promise<Buffer> {
  const text = JSON.stringify(omitUndefined(session));
  return identity === undefined ? Buffer.from(text) : sealText(text, [await recipientOf(identity)]);
}

/** What a value in the bucket says; undefined for what nobody's beckon has put there, or is sealed for others. */
export async function unpackSession(
  value: Uint8Array,
  identity: string | undefined,
): Promise<SharedSession | undefined> {
  const isSealed = sealedStart.equals(value.subarray(0, sealedStart.length));
  const text = isSealed ? await unsealText(value, identity ?? "") : Buffer.from(value).toString("utf8");
  try {
    return sharedSessionSchema.safeParse(JSON.parse(text ?? "")).data;
  } catch {
    return undefined; // no JSON
  }
}
