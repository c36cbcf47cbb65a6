import type { Ask } from "../answers/ask-files.ts";
import { describeFocus, goToTerminal } from "../attention/go-to-terminal.ts";
import { listWaiting, readSessions } from "../attention/sessions.ts";
import { loadConfig } from "../config/load.ts";
import { UnknownNameError } from "../core/errors.ts";
import { omitUndefined, type WithUndefined } from "../core/omit-undefined.ts";
import type { Answer } from "../core/permission-reply.ts";
import type { Ports } from "../core/ports.ts";
import type { Paths } from "../files/paths.ts";
import { assessNotifier } from "./assess-notifiers.ts";
import { requireOwnRoot } from "./require-own-root.ts";
import { markSeen } from "./seen.ts";
import { changeSnooze, type SilenceScope } from "./snooze.ts";
import { describeTest, testNotifier } from "./test-notifier.ts";

/** Result of an action, with a sentence for people. */
export interface ActionResult {
  readonly isDone: boolean;
  readonly text: string;
}

type AskedAnswer = Pick<Ask, "id" | "hash"> & Pick<Answer, "choice" | "pick">;

interface Snooze extends WithUndefined<SilenceScope> {
  readonly time: string;
  readonly key?: string | undefined;
}

/**
 * Creates the board's actions. Each does the same as the command with the same name. Errors have messages for people.
 * @param nowMs current time, Unix milliseconds
 */
export function createBoardActions(paths: Paths, ports: Ports, nowMs: () => number) {
  const findAlert = (key: string) => {
    const found = readSessions(paths, nowMs()).find((alert) => alert.key === key);
    if (found) return found;
    throw new UnknownNameError("this session is no longer known", "Its last event was more than a day ago.");
  };
  return {
    /** Marks the session with this alert key as seen. */
    async seen(key: string): Promise<ActionResult> {
      requireOwnRoot({ paths });
      const alert = findAlert(key);
      const { unresolved, hasWorker } = await markSeen(listWaiting([alert]), paths, nowMs());
      if (unresolved.length === 0) return { isDone: true, text: `Seen: ${alert.project}.` };
      const cure = hasWorker ? "the worker clears it as soon as it can" : "no worker is installed; run `beckon flush`";
      return { isDone: false, text: `Marked as seen: ${alert.project}; ${cure}.` };
    },
    /** Brings the terminal of the session with this alert key to the front. */
    async focus(key: string): Promise<ActionResult> {
      const alert = findAlert(key);
      const { isInFront, steps } = await goToTerminal(alert, ports);
      return { isDone: isInFront, text: isInFront ? `Focused ${alert.project}.` : `${describeFocus(steps)}.` };
    },
    /**
     * Pauses notifications (`1h`) or resumes them (`off`), for the session with an alert key or for what the other fields
     * name.
     */
    async snooze({ time, key, project, session, notifier }: Snooze): Promise<ActionResult> {
      requireOwnRoot({ paths });
      const alert = key === undefined ? undefined : findAlert(key);
      // A session without an id is identified by its project.
      const named = alert?.sessionId === undefined ? { project: alert?.project } : { session: alert.sessionId };
      const asked = alert ? named : { project, session, notifier };
      const { messages } = await changeSnooze(time, omitUndefined<SilenceScope>(asked), paths, nowMs());
      return { isDone: true, text: messages.slice(0, 2).join(" ") };
    },
    /**
     * Answers a permission request. The hash must be that of the request on the page, so that no other one is answered.
     */
    async answer({ id, hash, choice, pick }: AskedAnswer): Promise<ActionResult> {
      requireOwnRoot({ paths });
      const { findShownAsk, giveAnswer } = await import("./answer.ts");
      const ask = findShownAsk(id, hash, paths);
      if (!ask)
        throw new UnknownNameError("this request is no longer open", "It was answered, or nobody answered in time.");
      return giveAnswer(ask, { choice, pick, via: "board" }, paths, ports.clock);
    },
    /** Sends a test message. */
    async test(notifier: string): Promise<ActionResult> {
      requireOwnRoot({ paths });
      const config = await loadConfig(paths.config);
      if (![...config.notifiers.keys(), ...config.disabled].includes(notifier)) {
        throw new UnknownNameError(`there is no notifier ${notifier}`, "To list the notifiers: beckon config show");
      }
      const ability = await assessNotifier(notifier, config, { paths, ports });
      const result = await testNotifier(ability, config, ports, paths);
      const text = [`${notifier}: ${result.verdict}, ${describeTest(result)}.`, result.hint].filter(Boolean).join(" ");
      return { isDone: result.verdict === "sent", text };
    },
  };
}

export type BoardActions = ReturnType<typeof createBoardActions>;
