import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { agents, fallbackAgent } from "../../../agents/registry.ts";
import type { Config } from "../../../config/config.ts";
import type { AgentEvent } from "../../../core/event.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { recordedTerminal } from "../../../core/terminal-environment.ts";
import { type EventName, type Kind, sampleSessionPrefix } from "../../../core/vocabulary.ts";
import type { Paths } from "../../../files/paths.ts";
import { parse } from "../../../pipeline/parse.ts";
import { route } from "../../../pipeline/route.ts";
import { makeSpool, newId, put } from "../../../spool/put.ts";
import { encodeRecord, type RecordHeader } from "../../../spool/record.ts";
import { wake } from "../../../spool/wake.ts";

/** Texts of a demo event, as an agent's payload has them. */
interface Scene {
  readonly kind: Kind;
  readonly event: EventName;
  readonly project: string;
  readonly payload: Readonly<Record<string, string>>;
}

const scenes: readonly Scene[] = [
  {
    kind: "needs-you",
    event: "Notification",
    project: "shop",
    payload: { message: "Bash: npm publish --access public", notification_type: "permission_prompt" },
  },
  {
    kind: "failed",
    event: "SessionEnd",
    project: "api",
    payload: { reason: "error", message: "The model's API answered 529: overloaded" },
  },
  {
    kind: "finished",
    event: "Stop",
    project: "site",
    payload: { last_assistant_message: "All 212 tests pass. The dark mode is on the branch `dark-mode`." },
  },
  {
    kind: "info",
    event: "SubagentStop",
    project: "docs",
    payload: { last_assistant_message: "Found 14 pages that still name the old command." },
  },
];

/** Demo event that was put into the spool. */
export interface DemoEvent {
  readonly event: AgentEvent;
  readonly sessionId: string;
  /** Notifiers that get the event whatever the routes say; absent if the routes choose the notifiers. */
  readonly to?: readonly string[];
}

/** Inputs of a demo. */
export interface Demo {
  readonly config: Config;
  /** The only notifier to use; absent to use the notifiers of the routes. */
  readonly to?: string | undefined;
  /** User's home folder. The made-up project paths of the demo are below this folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Puts one sample event of each kind into the spool, as hooks do, and wakes the worker. A kind without a route goes to
 * the notifiers of the other kinds, or to all notifiers. Samples appear in no statistics. Notifiers that can
 * withdraw messages do so after ten seconds.
 */
export async function sendDemo(demo: Demo, paths: Paths): Promise<readonly DemoEvent[]> {
  const drafts = scenes.map((scene, index) => createDraft(scene, index, demo));
  const chosen = drafts.map(({ event }) => listNotifiers(event, demo.config));
  const all = [...new Set(chosen.flat())];
  const everywhere = all.length > 0 ? all : [...demo.config.notifiers.keys()];
  const sent = drafts.map(({ header, payload, ...draft }, index): DemoEvent => {
    const isRouted = demo.to === undefined && chosen[index]?.length !== 0;
    const to = isRouted ? {} : { to: demo.to === undefined ? everywhere : [demo.to] };
    makeSpool(paths.spool);
    put(paths.spool, draft.event.id, encodeRecord({ ...header, ...to }, payload));
    return { ...draft, ...to };
  });
  await wake(paths);
  return sent;
}

interface Draft extends Pick<DemoEvent, "event" | "sessionId"> {
  readonly header: RecordHeader;
  readonly payload: Buffer;
}

function createDraft({ kind, event, project, payload: texts }: Scene, index: number, { home, env }: Demo): Draft {
  const sessionId = sampleSessionPrefix + randomBytes(6).toString("hex");
  const cwd = join(home, "code", project);
  const payload = Buffer.from(JSON.stringify({ session_id: sessionId, hook_event_name: event, cwd, ...texts }));
  // The `terminal` notifier then writes to this process's terminal.
  const place = { processes: [process.pid], ...omitUndefined({ terminal: recordedTerminal(env) }) };
  const header = { v: 1, event, agent: chooseAgent(index), cwd, ...place } as const;
  return { sessionId, header, payload, event: { ...parse({ header, payload, end: 0 }, newId(), Date.now()), kind } };
}

/** Chooses one of two agents in turn. Both agents know all events of a demo by beckon's names. */
function chooseAgent(index: number): string {
  const isFit = ({ nativeEvents }: (typeof agents)[number]) =>
    scenes.every(({ event }) => nativeEvents[event]?.event === event);
  return (index % 2 === 0 ? fallbackAgent : agents.find(isFit))?.name ?? "";
}

function listNotifiers(event: AgentEvent, config: Config): readonly string[] {
  const { steps } = route(event, config);
  return [...new Set(steps.filter(({ afterMs }) => afterMs === 0).map(({ notifier }) => notifier))];
}
