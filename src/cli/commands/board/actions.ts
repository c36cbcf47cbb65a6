import { goToTerminal } from "../../../attention/go-to-terminal.ts";
import { readSessions, waitingIn } from "../../../attention/sessions.ts";
import type { ActionResult, BoardActions, Snooze } from "../../../board/server/source.ts";
import { loadConfig } from "../../../config/load.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { changeSnooze } from "../../attention/change-snooze.ts";
import { markSeen } from "../../attention/see.ts";
import type { CliContext } from "../../context.ts";
import { CommandError } from "../../errors.ts";
import { portsOf } from "../../ports.ts";
import { requireOwnRoot } from "../../require-own-root.ts";
import { focusText } from "../focus.ts";
import { testAndNote } from "../test.ts";

/** What the page can do: the same as the commands `seen`, `focus`, `snooze` and `test`. */
export function boardActions(context: CliContext): BoardActions {
  const { paths } = context;
  const nowMs = (): number => context.now?.() ?? Date.now();
  const alertOf = (key: string) => {
    const found = readSessions(paths, nowMs()).find((alert) => alert.key === key);
    if (found) return found;
    throw new CommandError("this session is not known any more", "It was heard of last more than a day ago.");
  };
  return {
    async seen(key) {
      requireOwnRoot(context);
      const alert = alertOf(key);
      const { left, hasWorker } = await markSeen(waitingIn([alert]), paths, nowMs());
      if (left.length === 0) return { isDone: true, text: `Seen: ${alert.project}.` };
      const cure = hasWorker
        ? "the worker does it as soon as it can"
        : "no worker is installed: `beckon flush` does it";
      return { isDone: false, text: `Noted: ${alert.project}; ${cure}.` };
    },
    async focus(key) {
      const alert = alertOf(key);
      const { isInFront, steps } = await goToTerminal(alert, portsOf(paths));
      return { isDone: isInFront, text: isInFront ? `In front: ${alert.project}.` : `${focusText(steps)}.` };
    },
    async snooze(asked) {
      requireOwnRoot(context);
      const change = await changeSnooze(asked.time, silenceFor(asked, alertOf), paths, nowMs());
      return { isDone: true, text: change.says.slice(0, 2).join(" ") };
    },
    async test(notifier) {
      requireOwnRoot(context);
      return testNotifier(notifier, context);
    },
  };
}

/** Of a session that has no id, its project is meant. */
function silenceFor(
  { key, project, session, notifier }: Snooze,
  alertOf: (key: string) => { readonly sessionId?: string | undefined; readonly project: string },
) {
  if (key === undefined) return omitUndefined({ project, session, notifier });
  const alert = alertOf(key);
  return alert.sessionId === undefined ? { project: alert.project } : { session: alert.sessionId };
}

async function testNotifier(name: string, { paths }: CliContext): Promise<ActionResult> {
  const config = await loadConfig(paths.config);
  if (![...config.notifiers.keys(), ...config.disabled].includes(name)) {
    throw new CommandError(`there is no notifier ${name}`, "`beckon config show` lists them.");
  }
  const { verdict, detail, hint } = await testAndNote(name, config, portsOf(paths), paths);
  const text = [`${name}: ${verdict}, ${detail}.`, hint].filter(Boolean).join(" ");
  return { isDone: verdict === "sent", text };
}
