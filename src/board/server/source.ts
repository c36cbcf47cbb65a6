import type { BoardActions } from "../../actions/board-actions.ts";
import type { ClockPort } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";
import { type Now, readNow, type TeamView } from "../board.ts";
import type { StorySection } from "../event-story.ts";

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
