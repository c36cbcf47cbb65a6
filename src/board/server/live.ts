import { type FSWatcher, watch } from "node:fs";
import type { ServerResponse } from "node:http";
import { dirname } from "node:path";
import { setImmediate as othersRun } from "node:timers/promises";
import type { BoardActions } from "../../actions/board-actions.ts";
import type { Ask } from "../../answers/ask-files.ts";
import { alertFolder } from "../../attention/alert-files.ts";
import type { ClockPort, Timer } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";
import { type Now, readDay, readNow, type TeamView, withTrend } from "../board.ts";
import { type Day, toDay } from "../day.ts";
import { dayRegions } from "../page/regions.ts";
import { formatTitle, waitingCount, waitingList } from "../page/waiting-list.ts";
import type { StorySection } from "../story.ts";

/** Minimum time between two renderings of the day, milliseconds. A busy day takes about 50 ms to render. */
const minDayIntervalMs = 1_000;
/** Pause after a rendering, as a multiple of its duration. It leaves the server free for other requests. */
const restFactor = 4;
/** Unfinished spans grow in steps of this many milliseconds. Smaller steps would redraw the lanes too often. */
const runningSpanStepMs = 10_000;

/** Time for which newly opened pages may reuse a rendering of the waiting sessions, milliseconds. */
const shownNowMaxAgeMs = 250;

interface Client {
  readonly response: ServerResponse;
  /** Day shown. Undefined means today; after midnight the page shows the next day. */
  readonly day: Day | undefined;
  /** Last content sent to the page, by region. */
  readonly sent: Map<string, string>;
}

/** Open pages. The server sends each page its changed regions as server-sent events. */
export class LivePages {
  readonly #source: BoardSource;
  readonly #clients = new Set<Client>();
  #stop: (() => void) | undefined;
  #dayTimer: Timer | undefined;
  /** Earliest time for rendering the day again, process uptime in milliseconds. */
  #dayDueAtMs = 0;
  #isRenderingDay = false;
  /** Last rendering of the waiting sessions. A page opened shortly afterwards reuses the rendering. */
  #shownNow: ShownNow | undefined;

  constructor(source: BoardSource) {
    this.#source = source;
  }

  /** Sends updates to a page until the page closes. Files are only watched while a page is open. */
  add(response: ServerResponse, day: Day | undefined): void {
    const client: Client = { response, day, sent: new Map() };
    this.#clients.add(client);
    response.on("close", () => this.#remove(client));
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
    response.write("retry: 1000\n\n");
    const changed = { now: () => this.#sendNow(), journal: () => this.#sendDaySoon() };
    this.#stop ??= watchFiles(this.#source.paths, changed, this.#source.clock);
    this.#sendNow(this.#shownNow, [client]);
    this.#sendDaySoon();
  }

  /** Ends the event streams to all pages. */
  close(): void {
    for (const { response } of this.#clients) response.end();
  }

  #remove(client: Client): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#dayTimer?.cancel();
    this.#dayTimer = undefined;
  }

  /** Renders the waiting sessions once and sends them to the pages. */
  #sendNow(shown: ShownNow | undefined = undefined, clients: Iterable<Client> = this.#clients): void {
    const atMs = this.#source.clock.uptimeMs();
    const isFresh = shown !== undefined && atMs - shown.atMs < shownNowMaxAgeMs;
    this.#shownNow = isFresh ? shown : this.#renderNow(atMs);
    const { waiting, count } = this.#shownNow;
    for (const client of clients) send(client, { waiting }, { count, title: formatTitle(count) });
  }

  #renderNow(atMs: number): ShownNow {
    const now = readBoardNow(this.#source);
    return { atMs, waiting: toRegion(waitingList(now, "live").text), count: waitingCount(now) };
  }

  #sendDaySoon(): void {
    if (this.#dayTimer || this.#isRenderingDay) return;
    const { clock } = this.#source;
    const waitMs = this.#dayDueAtMs - clock.uptimeMs();
    if (waitMs <= 0) return void this.#sendDay();
    const send = (): void => {
      this.#dayTimer = undefined;
      void this.#sendDay();
    };
    this.#dayTimer = clock.after(waitMs, send).ref();
  }

  async #sendDay(): Promise<void> {
    const { paths, clock } = this.#source;
    const beganAtMs = clock.uptimeMs();
    this.#isRenderingDay = true;
    try {
      const notifiers = await this.#source.notifiers();
      const now = readBoardNow(this.#source, runningSpanStepMs);
      const regionsByDay = new Map<Day, Readonly<Record<string, Region>>>();
      for (const client of this.#clients) {
        const day = client.day ?? toDay(now.nowMs);
        let regions = regionsByDay.get(day);
        if (!regions) {
          await othersRun(); // lets other work run before the next day is rendered
          const rendered = dayRegions(withTrend(readDay(day, paths, now, notifiers), paths), "live");
          regions = Object.fromEntries(Object.entries(rendered).map(([name, { text }]) => [name, toRegion(text)]));
          regionsByDay.set(day, regions);
        }
        send(client, regions, {});
      }
    } catch {
      // The journal or the configuration is unreadable. Within a second, the next poll tries again.
    } finally {
      this.#isRenderingDay = false;
      this.#dayDueAtMs = clock.uptimeMs() + Math.max(minDayIntervalMs, restFactor * (clock.uptimeMs() - beganAtMs));
    }
  }
}

/**
 * Content of a page region, and the same content without its clocks. The region is sent only if its content without
 * clocks has changed.
 */
interface Region {
  readonly text: string;
  readonly withoutClocks: string;
}

interface ShownNow {
  readonly atMs: number;
  readonly waiting: Region;
  readonly count: number;
}

/** Sends the changed regions, if any. Clocks need no update, because the page's script runs them. */
function send({ response, sent }: Client, regions: Readonly<Record<string, Region>>, more: object): void {
  const changed = Object.entries(regions).filter(([name, { withoutClocks }]) => sent.get(name) !== withoutClocks);
  if (changed.length === 0) return;
  for (const [name, { withoutClocks }] of changed) sent.set(name, withoutClocks);
  const texts = Object.fromEntries(changed.map(([name, { text }]) => [name, text]));
  response.write(`data: ${JSON.stringify({ regions: texts, ...more })}\n\n`);
}

function toRegion(text: string): Region {
  const withoutClocks = text.replace(/(data-since="\d+">)[^<]+/g, "$1").replace(/<line class="now"[^>]*>/g, "");
  return { text, withoutClocks };
}

/** Polling interval, milliseconds. Watching misses changes in recreated folders and on network drives. */
const pollIntervalMs = 1_000;
/** Time within which changes are reported together, milliseconds. */
const debounceMs = 20;

/** Callbacks for file changes. */
interface Changes {
  /** Called when waiting sessions or snoozes may have changed. */
  readonly now: () => void;
  /** Called when the journal may have changed. */
  readonly journal: () => void;
}

/**
 * Watches the files that a board shows. Reports changes soon after they happen, and also calls back once a second.
 * @returns a function that stops watching
 */
function watchFiles(paths: Pick<Paths, "state" | "journal">, changed: Changes, clock: ClockPort): () => void {
  const watchers = new Map<string, FSWatcher>();
  const refresh = (): void => {
    for (const [folder, call] of Object.entries(calls)) if (!watchers.has(folder)) follow(folder, call, watchers);
    changed.now();
    changed.journal();
  };
  // Most folders are created with the first event. Watching their parent folders reports that.
  const calls: Readonly<Record<string, () => void>> = {
    [dirname(paths.state)]: debounce(refresh, clock),
    [paths.state]: debounce(refresh, clock),
    [alertFolder(paths)]: debounce(changed.now, clock),
    [paths.journal]: debounce(changed.journal, clock),
  };
  refresh();
  const timer = clock.every(pollIntervalMs, refresh).ref();
  return () => {
    timer.cancel();
    for (const watcher of watchers.values()) watcher.close();
  };
}

function follow(folder: string, call: () => void, watchers: Map<string, FSWatcher>): void {
  try {
    const watcher = watch(folder, { persistent: false }, call);
    watchers.set(folder, watcher);
    const forget = (): void => {
      watcher.close();
      watchers.delete(folder);
    };
    watcher.on("error", forget);
  } catch {
    // The folder is missing or the system has no watches left. The poll still runs once a second.
  }
}

function debounce(call: () => void, clock: ClockPort): () => void {
  let timer: Timer | undefined;
  const end = (): void => {
    timer = undefined;
    call();
  };
  return () => {
    if (!timer) timer = clock.after(debounceMs, end).ref();
  };
}

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
  readonly asks?: (() => readonly Ask[]) | undefined;
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
