import { dirname, join, relative, resolve } from "node:path";
import type { Session } from "../attention/alert.ts";
import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { FilesPort, Timer } from "../core/ports.ts";
import { isSampleSession } from "../core/vocabulary.ts";
import { folderName } from "../files/folder-name.ts";
import type { RunContext } from "./context.ts";

/** Longest time for finding the repository, in milliseconds. The folder may be on a network drive that hangs. */
const findTimeoutMs = 300;
const gitFileBytes = 4096;

/** Folder to show to the user: the folder itself or, inside a linked worktree, the same folder in the main checkout. */
interface Place {
  readonly folder: string;
  /** Root of the linked worktree that contains the folder. */
  readonly worktree?: string;
}

/**
 * Sets an event's project to the folder in which its session started, even if the agent has changed folders since.
 * Takes that folder from the agent's own variable, or else from the transcript, or else from the session's first event.
 */
export async function settleProject(
  event: AgentEvent,
  { work }: Pick<FoundFacts, "work">,
  context: RunContext,
): Promise<AgentEvent> {
  const alert = context.alerts.get(threadKey(event));
  const startFolder = event.projectDir ?? work?.startedIn ?? alert?.projectDir ?? event.cwd;
  if (startFolder === undefined) return event;
  const { folder, worktree } = await findPlaceInTime(startFolder, context);
  const name = disambiguate(folder, event, context);
  const project = worktree === undefined ? name : `${name} (${folderName(worktree)})`;
  // Routes and later events of the session still need the worktree's own path.
  return { ...event, project, projectDir: startFolder, ...omitUndefined({ checkout: worktree && folder }) };
}

async function findPlaceInTime(startFolder: string, { ports }: RunContext): Promise<Place> {
  let timer: Timer | undefined;
  const late = new Promise<Place>((resolve) => {
    timer = ports.clock.after(findTimeoutMs, () => resolve({ folder: startFolder }));
  });
  return Promise.race([findPlace(startFolder, ports.files), late]).finally(() => timer?.cancel());
}

async function findPlace(startFolder: string, files: FilesPort): Promise<Place> {
  for (let root = startFolder; ; root = dirname(root)) {
    const git = join(root, ".git");
    const text = await files.readHead(git, gitFileBytes);
    const [, main] = /^gitdir: *(.+)[\\/]\.git[\\/]worktrees[\\/][^\\/\n]+\s*$/m.exec(text ?? "") ?? [];
    if (main !== undefined) return { folder: join(resolve(root, main), relative(root, startFolder)), worktree: root };
    if (text !== undefined || (await files.isFolder(git)) || root === dirname(root)) return { folder: startFolder };
  }
}

/** Returns a folder's name, with its parent's name in front if another open session's project has the same name. */
function disambiguate(folder: string, event: AgentEvent, { alerts }: RunContext): string {
  const name = folderName(folder);
  const key = threadKey(event);
  const isOpenHere = ({ lastEvent, isRelayed, sessionId }: Session) =>
    lastEvent !== "SessionEnd" && !isRelayed && !isSampleSession(sessionId);
  const hasSameName = ({ key: other, projectDir = folder }: Session) =>
    other !== key && projectDir !== folder && folderName(projectDir) === name;
  return alerts.sessions().some((session) => isOpenHere(session) && hasSameName(session))
    ? `${folderName(dirname(folder))}/${name}`
    : name;
}
