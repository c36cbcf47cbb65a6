import { request } from "node:http";
import type { ActionResult } from "../../../src/actions/board-actions.ts";
import type { BoardSource } from "../../../src/board/server/live.ts";
import { type ServedBoard, serveBoard } from "../../../src/board/server/serve.ts";
import { UnknownNameError } from "../../../src/core/errors.ts";
import type { ClockPort } from "../../../src/core/ports.ts";
import { createClock } from "../../../src/io/clock.ts";
import type { CliHome } from "../../world/cli-home.ts";

/** Serves a board from a home. The requests of the board's page are in `asked`. `onDay` is called at each rendering. */
export async function serveHome({ paths }: CliHome, clock: ClockPort = createClock(), onDay = () => {}) {
  const asked: unknown[] = [];
  let dayReads = 0;
  const note = async (act: string, about: unknown): Promise<ActionResult> => {
    if (about === "gone") throw new UnknownNameError("this session is no longer known", "It is over");
    asked.push([act, about]);
    return { isDone: true, text: `${act} done` };
  };
  const source: BoardSource = {
    paths,
    clock,
    notifiers: async () => {
      dayReads += 1; // each rendering of a day reads the settings once
      onDay();
      return ["desk"];
    },
    story: async (id) => [{ title: `Story of ${id}`, rows: [["a", "<b>b</b>"]] }],
    actions: {
      seen: (key) => note("seen", key),
      focus: (key) => note("focus", key),
      snooze: (snooze) => note("snooze", snooze),
      answer: ({ id, choice }) => note(`answer ${choice}`, id),
      test: (notifier) => note("test", notifier),
    },
  };
  const board: ServedBoard = await serveBoard(source, 0);
  return { ...board, asked, dayReads: () => dayReads };
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends a request with any headers, including those that a browser would not let a page set. */
export function ask(url: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  return new Promise<Reply>((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const sent = request(url, { method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Reads the events of a page's stream in order; `close` ends the stream. */
export function listen(url: string) {
  const events: { regions: Record<string, string>; count?: number; title?: string }[] = [];
  let text = "";
  const sent = request(url, (response) => {
    response.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) if (part.startsWith("data: ")) events.push(JSON.parse(part.slice(6)));
    });
    response.on("error", () => {}); // the server has ended the stream
  });
  sent.on("error", () => {});
  sent.end();
  return { events, close: () => void sent.destroy() };
}
