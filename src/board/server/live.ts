import type { ServerResponse } from "node:http";
import type { Timer } from "../../core/ports.ts";
import { type DayReport, readDay } from "../board.ts";
import { type Day, dayOf } from "../day.ts";
import { dayRegions, waitingRegion } from "../page/regions.ts";
import { titleOf, waitingCount } from "../page/waiting-list.ts";
import { type BoardSource, nowOf } from "./source.ts";
import { watchFiles } from "./watch.ts";

/** The day's parts are made anew at most so often: a busy day takes some 50 ms. */
const dayEveryMs = 1_000;
/** What goes on grows in steps of so much: else the lanes would be drawn anew every second. */
const stepMs = 10_000;

interface Client {
  readonly response: ServerResponse;
  /** Undefined follows today, also over midnight. */
  readonly day: Day | undefined;
  /** What each region showed when it was sent last. */
  readonly sent: Map<string, string>;
}

/** The open pages: each is sent the regions that have changed, as server-sent events. */
export class LivePages {
  readonly #source: BoardSource;
  readonly #clients = new Set<Client>();
  #stop: (() => void) | undefined;
  #dayTimer: Timer | undefined;
  #dayAtMs = 0;

  constructor(source: BoardSource) {
    this.#source = source;
  }

  /** Keeps a page up to date until it closes. Files are watched only while there is one. */
  add(response: ServerResponse, day: Day | undefined): void {
    const client: Client = { response, day, sent: new Map() };
    this.#clients.add(client);
    response.on("close", () => this.#remove(client));
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
    response.write("retry: 1000\n\n");
    const changed = { now: () => this.#sendNow(), journal: () => this.#sendDaySoon() };
    this.#stop ??= watchFiles(this.#source.paths, changed, this.#source.clock);
    this.#sendNow();
    void this.#sendDay();
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

  #sendNow(): void {
    const now = nowOf(this.#source);
    const waiting = waitingRegion(now, "live").text;
    const count = waitingCount(now);
    for (const client of this.#clients) send(client, { waiting }, { count, title: titleOf(count) });
  }

  #sendDaySoon(): void {
    if (this.#dayTimer) return;
    const { clock } = this.#source;
    const dueMs = Math.max(0, this.#dayAtMs + dayEveryMs - clock.uptimeMs());
    const send = (): void => {
      this.#dayTimer = undefined;
      void this.#sendDay();
    };
    this.#dayTimer = clock.after(dueMs, send).ref();
  }

  async #sendDay(): Promise<void> {
    this.#dayAtMs = this.#source.clock.uptimeMs();
    const { paths } = this.#source;
    try {
      const notifiers = await this.#source.notifiers();
      const now = nowOf(this.#source, stepMs);
      const regionsByDay = new Map<Day, Readonly<Record<string, string>>>();
      for (const client of this.#clients) {
        const day = client.day ?? dayOf(now.nowMs);
        const regions = regionsByDay.get(day) ?? textsOf(readDay(day, paths, now, notifiers));
        regionsByDay.set(day, regions);
        send(client, regions, {});
      }
    } catch {
      // A journal or configuration that cannot be read now: it is tried again within a second.
    }
  }
}

function textsOf(report: DayReport): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(dayRegions(report, "live")).map(([name, { text }]) => [name, text]));
}

/** Sends what has changed; nothing where nothing has. Clocks count by themselves in the page. */
function send({ response, sent }: Client, regions: Readonly<Record<string, string>>, more: object): void {
  const changed = Object.entries(regions).filter(([name, text]) => sent.get(name) !== withoutClocks(text));
  if (changed.length === 0) return;
  for (const [name, text] of changed) sent.set(name, withoutClocks(text));
  response.write(`data: ${JSON.stringify({ regions: Object.fromEntries(changed), ...more })}\n\n`);
}

function withoutClocks(text: string): string {
  return text.replace(/(data-since="\d+">)[\d:]+/g, "$1").replace(/<line class="now"[^>]*>/g, "");
}
