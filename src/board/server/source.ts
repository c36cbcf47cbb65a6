import type { BoardActions } from "../../actions/board-actions.ts";
import type { ClockPort } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";
import { type AnswerableAsk, type Now, readNow, type TeamView } from "../board.ts";
import type { StorySection } from "../story.ts";

/** Data sources and actions for a board. */
export interface BoardSource {
  readonly paths: Pick<Paths, "state" | "journal">;
  readonly clock: ClockPort;
  /** Names of the configured notifiers. */
  notifiers(): Promise<readonly string[]>;
  /** Returns an event's whole story, as `beckon why` shows it. */
  story(id: string): Promise<readonly StorySection[]>;
  readonly actions: BoardActions;
  /** Returns the permission requests that the user may answer on the board; absent if answers are not configured. */
  readonly asks?: (() => readonly AnswerableAsk[]) | undefined;
  /** Returns the waiting sessions of other team members; absent unless requested. */
  readonly team?: (() => TeamView) | undefined;
}

/**
 * Reads the sessions that are waiting now.
 * @param stepMs step to which the current time is rounded down
 */
export function readBoardNow({ paths, clock, team, asks }: BoardSource, stepMs = 1): Now {
  return { ...readNow(paths, Math.floor(clock.now() / stepMs) * stepMs, team?.()), asks: asks?.() };
}
