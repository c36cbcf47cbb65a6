import { join } from "node:path";
import { isSampleSession, sessionMemoryMs } from "../../attention/session-memory.ts";
import { UsageError } from "../../core/errors.ts";
import { asText, parseObject, toList, toObject } from "../../core/json-value.ts";
import { countConcerns, type Kind, kinds } from "../../core/vocabulary.ts";
import type { Paths } from "../../files/paths.ts";
import { listQuietly, readQuietly } from "../../files/read-file.ts";
import { shortName } from "../../text/cut.ts";
import { joinNames, shortDuration } from "../../text/time.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import type { ListOptions } from "../list-sessions.ts";

/** Declares `beckon sessions`: lists the sessions that wait for the user, and the states of the other sessions. */
export const registerSessions: RegisterCommand = (command, run) => {
  command
    .option("--watch", "refresh every second until Ctrl-C")
    .option("--json", "print one JSON object per line")
    .option("--line", "print one short line for a status bar; nothing if no session is waiting")
    .option("--all", `at a terminal, list more than ${maxRows} sessions`)
    .option("--team", "list the waiting sessions of your whole team instead, from the shared relay server")
    .action((options: SessionsOptions) => run((context) => runSessions(options, context)));
};

interface SessionsOptions extends ListOptions {
  readonly line?: boolean;
  readonly team?: boolean;
}

/** Maximum number of sessions to show at a terminal without `--all`. */
const maxRows = 50;
/** Maximum number of sessions named in a status bar. */
const maxNamedSessions = 3;

async function runSessions(options: SessionsOptions, context: CliContext): Promise<number> {
  const { watch, json, line, team } = options;
  if ([watch, json, line].filter(Boolean).length > 1) {
    throw new UsageError("--watch, --json and --line cannot be combined", "Choose one of them.");
  }
  if (team && (watch || line)) {
    throw new UsageError("--team can only be combined with --json", "For a live view: beckon board --team");
  }
  if (team) return (await import("../team/team.ts")).printTeam(json === true, context);
  if (!line) return (await import("../list-sessions.ts")).listSessions(options, maxRows, context);
  const text = statusLine(context.paths, context.now());
  if (text !== "") context.print(text);
  return 0;
}

/** Formats a line for a status bar, `1 waiting, 1 done: shop 3m, api 12s`; empty if no session is waiting. */
function statusLine({ state }: Pick<Paths, "state">, nowMs: number): string {
  const folder = join(state, "alerts");
  const open = listQuietly(folder).flatMap((name) => readOpen(folder, name, nowMs));
  open.sort((a, b) => a.rank - b.rank || a.atMs - b.atMs || b.lastAtMs - a.lastAtMs);
  const longest = new Map<string, Open>();
  for (const item of open) {
    const { atMs } = longest.get(item.name) ?? item;
    longest.set(item.name, { ...item, atMs: Math.min(atMs, item.atMs) });
  }
  if (longest.size === 0) return "";
  const named = [...longest.values()].slice(0, maxNamedSessions).map(({ project, atMs }) => {
    const waited = shortDuration(Math.max(1_000, nowMs - atMs));
    return `${shortName(project)} ${waited.replace("min", "m").replace(" ", "")}`;
  });
  const counts = countConcerns(open.map(({ kind }) => kind));
  return `${counts}: ${joinNames(named, longest.size)}`;
}

/** Concern that waits for the user. */
interface Open {
  /** Name of the alert's file. */
  readonly name: string;
  readonly project: string;
  readonly lastAtMs: number;
  readonly kind: Kind;
  /** Position of the kind in the list of kinds. */
  readonly rank: number;
  readonly atMs: number;
}

/**
 * Reads an alert's open concerns, as `listWaiting` does. Does not check the other fields, because a status bar runs
 * this every few seconds, and the schema's library takes longer to load than the whole command.
 */
function readOpen(folder: string, name: string, nowMs: number): Open[] {
  const text = readQuietly(join(folder, name)) ?? "";
  const { v, key, project = "", sessionId, lastAtMs, concerns } = parseObject(text) ?? {};
  if (v !== 1 || `${key}.json` !== name || typeof project !== "string" || typeof lastAtMs !== "number") return [];
  if (nowMs - lastAtMs >= sessionMemoryMs || isSampleSession(asText(sessionId))) return [];
  return toList(concerns).flatMap((concern) => {
    const { kind, state, atMs } = toObject(concern);
    const rank = (kinds as readonly unknown[]).indexOf(kind);
    const known = kinds[rank];
    if (state === "resolved" || known === undefined || typeof atMs !== "number") return [];
    return [{ name, project, lastAtMs, kind: known, rank, atMs }];
  });
}
