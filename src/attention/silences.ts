import { join } from "node:path";
import picomatch from "picomatch";
import * as z from "zod";
import type { AgentEvent } from "../core/event.ts";
import { once } from "../core/once.ts";
import { readStateFile, writeStateFile } from "../files/state-file.ts";

const silenceSchema = once(() =>
  z.object({
    untilMs: z.number(),
    /** When it was asked for, Unix milliseconds. */
    atMs: z.number(),
    project: z.string().optional(),
    session: z.string().optional(),
    notifier: z.string().optional(),
  }),
);
/** An hour's peace that the person asked for: messages wait until it is over. What it does not name, it is for. */
export type Silence = Readonly<z.output<ReturnType<typeof silenceSchema>>>;

/** File of the silences, below the folder of beckon's state. */
export function silencesFile({ state }: { readonly state: string }): string {
  return join(state, "silences.json");
}

/** The silences that are not over. Read anew each time: the command line writes them, the worker reads them. */
export function readSilences(file: string, nowMs: number): readonly Silence[] {
  return readStateFile(file, () => z.array(silenceSchema()), []).filter(({ untilMs }) => untilMs > nowMs);
}

/** Replaces the silences. Returns false where they cannot be written. */
export function writeSilences(file: string, silences: readonly Silence[]): boolean {
  return writeStateFile(file, silences);
}

/** When the last of the silences that are for an event's message ends, Unix milliseconds; undefined where none is. */
export function silencedUntilMs(
  silences: readonly Silence[],
  event: Pick<AgentEvent, "project" | "cwd" | "sessionId">,
  notifier: string,
): number | undefined {
  const ends = silences.filter((one) => isFor(one, event, notifier)).map(({ untilMs }) => untilMs);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function isFor(
  { project, session, notifier }: Silence,
  event: Pick<AgentEvent, "project" | "cwd" | "sessionId">,
  name: string,
): boolean {
  if (notifier !== undefined && notifier !== name) return false;
  if (session !== undefined && event.sessionId?.startsWith(session) !== true) return false;
  return (
    project === undefined || project === event.project || picomatch.isMatch(event.cwd ?? "", project, { dot: true })
  );
}
