import type { ClockPort } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";
import { type Now, readNow, type TeamView } from "../board.ts";
import type { StorySection } from "../event-story.ts";

/** What an action came to, in a sentence for people. */
export interface ActionResult {
  readonly isDone: boolean;
  readonly text: string;
}

/** What the page can do, by the same functions as the commands. Each may throw an error whose message is for people. */
export interface BoardActions {
  /** Says that the person has seen a session, by the key of its alert. */
  seen(key: string): Promise<ActionResult>;
  /** Brings a session's terminal to the front. */
  focus(key: string): Promise<ActionResult>;
  /**
   * Has messages wait, `1h`, or ends that, `off`; of one session by the key of its alert, or as a silence names them.
   */
  snooze(asked: Snooze): Promise<ActionResult>;
  /** Sends a test message. */
  test(notifier: string): Promise<ActionResult>;
}

export interface Snooze {
  readonly time: string;
  readonly key?: string | undefined;
  readonly project?: string | undefined;
  readonly session?: string | undefined;
  readonly notifier?: string | undefined;
}

/** What a board shows and acts on. */
export interface BoardSource {
  readonly paths: Pick<Paths, "state" | "journal">;
  readonly clock: ClockPort;
  /** Names of the configured notifiers. */
  notifiers(): Promise<readonly string[]>;
  /** The whole story of an event, as `beckon why` tells it. */
  story(id: string): Promise<readonly StorySection[]>;
  readonly actions: BoardActions;
  /** What waits for the others of a team; absent unless it is asked for. */
  readonly team?: (() => TeamView) | undefined;
}

/** Who waits now, on a board. */
export function nowOf({ paths, clock, team }: BoardSource, stepMs = 1): Now {
  return readNow(paths, Math.floor(clock.now() / stepMs) * stepMs, team?.());
}
