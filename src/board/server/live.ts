import type { ServerResponse } from "node:http";
import { setImmediate as othersRun } from "node:timers/promises";
import type { Timer } from "../../core/ports.ts";
import { type DayReport, readDay } from "../board.ts";
import { type Day, toDay } from "../day.ts";
import { dayRegions, waitingRegion } from "../page/regions.ts";
import { formatTitle, waitingCount } from "../page/waiting-list.ts";
import { type BoardSource, readBoardNow } from "./source.ts";
import { watchFiles } from "./watch.ts";

/** Shortest time between two renderings of the day, milliseconds; a busy day takes about 50 ms. */
const minDayIntervalMs = 1_000;
/**
 * Rest after a rendering, as a multiple of its duration, so that a slow day leaves the server free for other requests.
 */
const restFactor = 4;
/** Running spans grow in steps of this size; otherwise the lanes would be redrawn every second. */
const runningSpanStepMs = 10_000;

/** Time for which a rendering of waiting sessions is reused for newly opened pages, milliseconds. */
const shownNowMaxAgeMs = 250;

interface Client {
  readonly response: ServerResponse;
  /** Undefined follows today, even past midnight. */
  readonly day: Day | undefined;
  /** Content of each region as sent last. */
  readonly sent: Map<string, string>;
}

/** Open pages. Each is sent its changed regions as server-sent events. */
export class LivePages {
  readonly #source: BoardSource;
  readonly #clients = new Set<Client>();
  #stop: (() => void) | undefined;
  #dayTimer: Timer | undefined;
  /** Earliest time of the next rendering of the day, in uptime. */
  #dayDueAtMs = 0;
  #isRenderingDay = false;
  /** Last rendering of the waiting sessions, reused for pages opened right after it. */
  #shownNow: ShownNow | undefined;

  constructor(source: BoardSource) {
    this.#source = source;
  }

  /** Keeps a page up to date until it closes. Files are watched only while a page is open. */
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

  /** Ends all pages' streams. */
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

  /** Renders the waiting sessions once for all pages. */
  #sendNow(shown: ShownNow | undefined = undefined, clients: Iterable<Client> = this.#clients): void {
    const atMs = this.#source.clock.uptimeMs();
    const isFresh = shown !== undefined && atMs - shown.atMs < shownNowMaxAgeMs;
    this.#shownNow = isFresh ? shown : this.#renderNow(atMs);
    const { waiting, count } = this.#shownNow;
    for (const client of clients) send(client, { waiting }, { count, title: formatTitle(count) });
  }

  #renderNow(atMs: number): ShownNow {
    const now = readBoardNow(this.#source);
    return { atMs, waiting: toRegion(waitingRegion(now, "live").text), count: waitingCount(now) };
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
          await othersRun(); // between the days of several pages
          regions = toRegions(readDay(day, paths, now, notifiers));
          regionsByDay.set(day, regions);
        }
        send(client, regions, {});
      }
    } catch {
      // An unreadable journal or configuration is read again within a second.
    } finally {
      this.#isRenderingDay = false;
      this.#dayDueAtMs = clock.uptimeMs() + Math.max(minDayIntervalMs, restFactor * (clock.uptimeMs() - beganAtMs));
    }
  }
}

/** Region of the page, and a key that changes with its content. */
interface Region {
  readonly text: string;
  readonly withoutClocks: string;
}

interface ShownNow {
  readonly atMs: number;
  readonly waiting: Region;
  readonly count: number;
}

function toRegions(report: DayReport): Readonly<Record<string, Region>> {
  return Object.fromEntries(
    Object.entries(dayRegions(report, "live")).map(([name, { text }]) => [name, toRegion(text)]),
  );
}

/** Sends the changed regions, if any. Clocks run in the page itself. */
function send({ response, sent }: Client, regions: Readonly<Record<string, Region>>, more: object): void {
  const changed = Object.entries(regions).filter(([name, { withoutClocks }]) => sent.get(name) !== withoutClocks);
  if (changed.length === 0) return;
  for (const [name, { withoutClocks }] of changed) sent.set(name, withoutClocks);
  const texts = Object.fromEntries(changed.map(([name, { text }]) => [name, text]));
  response.write(`data: ${JSON.stringify({ regions: texts, ...more })}\n\n`);
}

function toRegion(text: string): Region {
  const withoutClocks = text.replace(/(data-since="\d+">)[\d:]+/g, "$1").replace(/<line class="now"[^>]*>/g, "");
  return { text, withoutClocks };
}
