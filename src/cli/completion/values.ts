import { agents } from "../../agents/registry.ts";
import type { Alert } from "../../attention/alert.ts";
import { isOfRealSession } from "../../attention/session-memory.ts";
import { listWaits, readSessions } from "../../attention/sessions.ts";
import { loadConfig } from "../../config/load.ts";
import { installable } from "../../installer/agents/installable.ts";
import type { JournalLine } from "../../journal/journal-line.ts";
import { findNewest } from "../../journal/read-journal.ts";
import { anyPhoneApp, notifierLoaders } from "../../notifiers/registry.ts";
import { readSpool } from "../../spool/spool-state.ts";
import { cleanLine } from "../../text/clean.ts";
import type { Candidate, FindValues } from "../commands/completion.ts";
import type { CliContext } from "../context.ts";
import { shownIdChars } from "../journal/view.ts";
import { listSeen } from "../named-project.ts";

/** Maximum number of sessions, and of events, to offer. */
const maxOffered = 30;

/** Creates the finder of this user's values for arguments and options. */
export function createFindValues({ paths }: Pick<CliContext, "paths">): FindValues {
  const { journal } = paths;
  const named = (names: Iterable<string>): Candidate[] => [...new Set(names)].map((value) => ({ value }));
  const allNotifiers = async () => {
    const { notifiers, disabled } = await loadConfig(paths.config);
    const usable = [...notifiers.values()].map(({ name, notifier }) => ({ value: name, description: notifier.name }));
    return [...usable, ...named(disabled)];
  };
  const finders: Readonly<Record<string, () => Promise<Candidate[]>>> = {
    agent: async () => installable.map(describeAgent),
    agents: async () => agents.map(describeAgent),
    notifier: allNotifiers,
    to: allNotifiers,
    profile: async () => named(Object.keys((await loadConfig(paths.config)).lookupProfiles["service"] ?? {})),
    type: async () => named([anyPhoneApp, ...Object.keys(notifierLoaders)]),
    session: async () => {
      const waiting = listWaits(readSessions(paths, Date.now())).map(([alert]) => alert);
      return [...waiting.map(describeSession), ...named(waiting.map(({ project }) => project))];
    },
    "--session": async () =>
      findNewest(journal, { by: ["sessionId"], count: maxOffered, isWanted: isOfRealSession }).map(
        ({ agent = "", project = "", ...line }) => describeSession({ ...line, agent, project }),
      ),
    time: async () => named(["30m", "1h", "4h", "off"]),
    project: async () => named(listSeen("project", journal)),
    event: async () => findNewest(journal, { by: ["id"], count: maxOffered }).map(describeEvent),
    id: async () => readSpool(paths.spool, paths.lock).dead.map(({ id }) => ({ value: id.slice(0, shownIdChars) })),
  };
  return async (name) => {
    const finder = [name, name.replace(/^--/, "")].find((each) => Object.hasOwn(finders, each));
    return finder === undefined ? [] : ((await finders[finder]?.()) ?? []);
  };
}

function describeAgent({ name, title }: { readonly name: string; readonly title: string }): Candidate {
  return { value: name, description: title };
}

function describeSession({
  sessionId = "",
  agent,
  project,
}: Pick<Alert, "sessionId" | "agent" | "project">): Candidate {
  return { value: sessionId, description: cleanLine(`${agent} ${project}`) };
}

function describeEvent({ id, kind = "", project = "" }: JournalLine): Candidate {
  return { value: id.slice(0, shownIdChars), description: cleanLine(`${kind} ${project}`) };
}
