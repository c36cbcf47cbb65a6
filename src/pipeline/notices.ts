import { sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { agentNamed } from "../agents/registry.ts";
import { addUsageLimit, readUsageLimits } from "../attention/usage-limits.ts";
import { type Catalogue, englishCatalogue, loadCatalogue } from "../config/catalogues.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts, UsageLimit } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { succeeds } from "../core/quietly.ts";
import { describeUsageLimit } from "../core/usage-limit.ts";
import { limitEvent } from "../core/vocabulary.ts";
import { writeStateFile } from "../files/atomic-file.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import { newId, put } from "../spool/put.ts";
import { encodeRecord } from "../spool/record.ts";
import { insertCount, insertValues } from "../text/template.ts";
import { attempt } from "./attempt.ts";
import type { RunContext } from "./context.ts";

/** Place of the agent whose event led to a notice: some notifiers write to its terminal. */
type AgentPlace = Pick<AgentEvent, "processes" | "terminal">;

/** Reports to the user that a notifier is broken. Resolves to true if another notifier sent the notice. */
export function reportBroken(broken: ConfiguredNotifier, reason: string, place: AgentPlace, context: RunContext) {
  const { name, notifier } = broken;
  const shown = name === notifier.name ? name : `${name} (${notifier.name})`;
  const notice = buildNotice("BrokenNotifier", `broken-${name}`, context.ports.clock.now(), place);
  return sendNotice(notice, context, ({ notices }) =>
    insertValues(notices.brokenNotifier, { notifier: shown, reason }),
  );
}

/** Reports to the user that another machine sends events so often that people are not notified of some of them. */
export async function reportBusyMachine(host: string, atMs: number, context: RunContext): Promise<void> {
  const notice = buildNotice("BusyMachine", `busy-${host}`, atMs);
  await sendNotice(notice, context, ({ notices }) => insertValues(notices.busyMachine, { host }));
}

/** Reports to the user that another program has answered a permission request in beckon's place. */
export async function reportForeignAnswer(
  { id, project, ...place }: Pick<AgentEvent, "id" | "project"> & AgentPlace,
  context: RunContext,
): Promise<void> {
  const notice = buildNotice("ForeignAnswer", `foreign-${id}`, context.ports.clock.now(), place);
  await sendNotice(notice, context, ({ notices }) => insertValues(notices.foreignAnswer, { project }));
}

/** Reports configuration errors to the user, once for each set of errors. */
export async function reportConfigErrors(place: AgentPlace, context: RunContext): Promise<void> {
  const { config, configErrors, ports } = context;
  await configErrors.reportOnce(config.findings, (errors) => {
    const [error = ""] = errors;
    const notice = buildNotice("ConfigurationError", "configuration", ports.clock.now(), place);
    return sendNotice(notice, context, ({ notices, language }) =>
      insertCount(notices.configurationErrors, errors.length, { language }, { error }),
    );
  });
}

/**
 * Sends a notice from beckon in the notifier's language, through the notifier that the user most likely reads and that
 * is not broken.
 * @returns true if a notifier sent the notice
 */
async function sendNotice(
  notice: AgentEvent,
  context: RunContext,
  messageIn: (catalogue: Catalogue) => string,
): Promise<boolean> {
  const { config, queues, journal } = context;
  const working = [...config.notifiers.values()].filter(
    (configured) => !queues.of(configured.name).findBroken(configured),
  );
  for (const configured of working.toSorted((a, b) => rankNotifier(a) - rankNotifier(b))) {
    const message = messageIn(await loadCatalogue(configured.language ?? config.language));
    const event = { ...notice, message };
    const { failure } = await attempt({ event, facts: {}, configured }, context);
    const line = { ...identifyEvent(event), notifier: configured.name, attempt: 1 };
    const status = failure?.reason === "unsupported" ? "skipped" : "failed";
    const reason = failure && `${failure.reason}: ${failure.message}`;
    journal.write({ ...line, status: failure ? status : "sent", ...omitUndefined({ reason }) });
    if (!failure) return true;
  }
  return false;
}

/**
 * Ranks a notifier by how likely the user is to read its notices, best first: 0 for people on this machine, 1 for
 * people elsewhere, 2 for programs, 3 if nobody reads the text.
 */
function rankNotifier({ notifier }: ConfiguredNotifier): number {
  if (notifier.textIsRead === false) return 3;
  if (notifier.audience === "machine") return 2;
  return notifier.reach === "machine" ? 0 : 1;
}

function buildNotice(
  event: string,
  subject: string,
  atMs: number,
  { processes, terminal }: AgentPlace = {},
): AgentEvent {
  return {
    id: `${subject}-${atMs}`.replace(/[^\w-]/g, "_").slice(0, 64),
    atMs,
    event,
    nativeEvent: event,
    agent: "beckon",
    kind: "failed",
    project: "beckon",
    ...omitUndefined({ processes, terminal }),
    extra: {},
  };
}

/**
 * Stores the usage limits that an agent's transcript shows. For each limit that has reached a further threshold, puts a
 * notice into the spool. If that fails, the agent's next event tries again.
 */
export function noteUsageLimits(event: AgentEvent, { work }: FoundFacts, context: RunContext): void {
  const { limits = [] } = work ?? {};
  if (limits.length === 0) return;
  const { limitsFile, config, ports, spool } = context;
  const now = { nowMs: ports.clock.now(), thresholds: config.limits ?? [] };
  const sessions = agentNamed(event.agent)?.settings?.sessions;
  const account = event.transcriptPath?.split(`${sep}${sessions}${sep}`, 1)[0] ?? "";
  const before = readUsageLimits(limitsFile);
  const after = limits.reduce((known, limit) => {
    const added = addUsageLimit(known, { ...limit, agent: event.agent, account }, now);
    return !added.isDue || succeeds(() => putNotice(limit, event, spool, now.nowMs)) ? added.known : known;
  }, before);
  if (!isDeepStrictEqual(after, before)) writeStateFile(limitsFile, after);
}

function putNotice(limit: UsageLimit, event: AgentEvent, spool: string, nowMs: number): void {
  const { agent, sessionId, cwd, projectDir = cwd } = event;
  const message = describeUsageLimit(limit, englishCatalogue, nowMs);
  const header = { v: 1 as const, event: limitEvent, agent, ...omitUndefined({ cwd: projectDir }) };
  const payload = JSON.stringify({ session_id: sessionId, message, limit });
  put(spool, newId(), encodeRecord(header, Buffer.from(payload)), nowMs);
}
