import { join, sep } from "node:path";
import picomatch from "picomatch";
import * as z from "zod";
import type { AgentEvent } from "../core/event.ts";
import { once } from "../core/once.ts";
import { readStateFile } from "../files/atomic-file.ts";
import { folderName } from "../files/paths.ts";

const silenceSchema = once(() =>
  z.object({
    untilMs: z.number(),
    /** Time when the user asked for the silence, Unix milliseconds. */
    atMs: z.number(),
    project: z.string().optional(),
    session: z.string().optional(),
    notifier: z.string().optional(),
  }),
);
/**
 * Pause of notifications that the user asked for. Messages that match all its fields are held until the pause ends. An
 * absent field matches every message.
 */
export type Silence = Readonly<z.output<ReturnType<typeof silenceSchema>>>;

/** Returns the path of the file that stores silences. */
export function silencesFile({ state }: { readonly state: string }): string {
  return join(state, "silences.json");
}

/** Reads the silences that have not ended yet. Always reads the file, because commands write to it. */
export function readSilences(file: string, nowMs: number): readonly Silence[] {
  return readStateFile(file, () => z.array(silenceSchema()), []).filter(({ untilMs }) => untilMs > nowMs);
}

type SilencedEvent = Pick<AgentEvent, "project" | "projectDir" | "place" | "cwd" | "otherPaths" | "sessionId">;

/** Returns the latest end of all silences that apply to a message, Unix milliseconds; undefined if none applies. */
export function silencedUntilMs(
  silences: readonly Silence[],
  event: SilencedEvent,
  notifier: string,
): number | undefined {
  const ends = silences.filter((silence) => appliesTo(silence, event, notifier)).map(({ untilMs }) => untilMs);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function appliesTo({ project, session, notifier }: Silence, event: SilencedEvent, name: string): boolean {
  if (notifier !== undefined && notifier !== name) return false;
  if (session !== undefined && event.sessionId?.startsWith(session) !== true) return false;
  // A worktree's own project is called `shop (fix-login)`.
  const main = event.place?.worktree === undefined ? undefined : folderName(event.place.folder);
  if (project === undefined || project === event.project || project === main) return true;
  const paths = [event.projectDir ?? event.cwd ?? "", ...(event.otherPaths ?? [])];
  const isBelow = (path: string) => join(path, sep).startsWith(join(project, sep));
  return paths.some((path) => isBelow(path) || picomatch.isMatch(path, project, { dot: true }));
}
