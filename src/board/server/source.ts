import type { BoardActions } from "../../actions/board-actions.ts";
import type { ClockPort } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";
import { type Now, readNow, type TeamView } from "../board.ts";
import type { StorySection } from "../event-story.ts";

/** Data and actions of a board. */
export interface BoardSource {
  readonly paths: Pick<Paths, "state" | "journal">;
  readonly clock: ClockPort;
  /** Names of the configured notifiers. */
  notifiers(): Promise<readonly string[]>;
  /** Returns the whole story of an event, as in `beckon why`. */
  story(id: string): Promise<readonly StorySection[]>;
  readonly actions: BoardActions;
  /** Waiting sessions of others in a team; absent unless requested. */
  readonly team?: (() => TeamView) | undefined;
}

/** Reads the waiting sessions of a board. */
export function readBoardNow({ paths, clock, team }: BoardSource, stepMs = 1): Now {
  return readNow(paths, Math.floor(clock.now() / stepMs) * stepMs, team?.());
}
