import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import type { ActionResult, BoardActions } from "../../actions/board-actions.ts";
import { BeckonError, UnknownNameError } from "../../core/errors.ts";
import { parseJson } from "../../core/json-value.ts";
import { answerChoices } from "../../core/permission-reply.ts";
import type { ClockPort } from "../../core/ports.ts";
import { readStart } from "../../files/read-file.ts";
import { html } from "../../text/html.ts";
import { isDay } from "../../text/time.ts";
import { readDay, withTrend } from "../board.ts";
import { type Day, toDay } from "../day.ts";
import { boardFile, renderIcon, renderLive } from "../page/page.ts";
import { logList, maxShown, storyTable } from "../page/regions.ts";
import { type LogQuery, matchesQuery, searchJournal } from "../search.ts";
import { allowedPath, OneTimeTokens } from "./guard.ts";
import { type BoardSource, LivePages, readBoardNow } from "./live.ts";

/** A running board server. */
export interface ServedBoard {
  /** URL of the board. It contains the token, which allows actions. */
  readonly url: string;
  /** Creates an address that opens the board once, within a minute. */
  createOneTimeUrl(): string;
  close(): Promise<void>;
}

const loopback = "127.0.0.1";
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers for every response: no caching, and no access for other pages. */
const headers = {
  "Content-Security-Policy": policy,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** Response without the common headers. */
interface Answer {
  readonly type: "text/html" | "text/css" | "text/javascript" | "image/svg+xml" | "application/json";
  readonly text: string;
  readonly status?: number;
}

/**
 * Serves the board on this machine only, under a path with a new random token.
 * @param port port number; 0 picks a free port
 */
export async function serveBoard(source: BoardSource, port: number): Promise<ServedBoard> {
  const token = randomBytes(18).toString("base64url");
  const pages = new LivePages(source);
  const getPage = keepPage(source.clock);
  const tokens = new OneTimeTokens(source.clock);
  const server = createServer((request, response) => {
    const { port: own } = server.address() as AddressInfo;
    void answer(request, response, { secret: { token, port: own }, source, pages, getPage, tokens });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, loopback, resolve);
  });
  const origin = `http://${loopback}:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/${token}/`,
    createOneTimeUrl: () => `${origin}/${tokens.create()}/`,
    close: () =>
      new Promise((resolve) => {
        pages.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Dependencies for answering a request. */
interface ServedParts {
  readonly secret: { readonly token: string; readonly port: number };
  readonly source: BoardSource;
  readonly pages: LivePages;
  readonly getPage: GetPage;
  readonly tokens: OneTimeTokens;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, source, pages, getPage, tokens }: ServedParts,
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const { method = "", url: target = "" } = request;
  const incoming = { method, target, headers: request.headers };
  const path = allowedPath(incoming, secret);
  if (path === undefined && tokens.use(incoming, secret.port)) {
    response.writeHead(303, { Location: `/${secret.token}/` }).end();
    return;
  }
  if (path === undefined) return end(response, { status: 403, type: "text/html", text: "Forbidden" });
  try {
    const url = new URL(path, "http://board");
    if (method === "GET" && url.pathname === "/events") return pages.add(response, dayIn(url));
    const found =
      method === "POST" ? await act(url.pathname, request, source.actions) : await read(url, response, source, getPage);
    end(response, found ?? { status: 404, type: "text/html", text: "Not found" });
  } catch (error) {
    // Messages of other errors may contain secrets.
    const text = error instanceof BeckonError ? [error.message, error.hint].filter(Boolean).join(". ") : "an error";
    const status = error instanceof UnknownNameError ? 404 : 500;
    end(response, { status, type: "application/json", text: JSON.stringify({ isDone: false, text }) });
  }
}

function end(response: ServerResponse, { status = 200, type, text }: Answer): void {
  response.writeHead(status, { "Content-Type": `${type}; charset=utf-8` }).end(text);
}

/** Renders the page or the part of a page at a path; undefined for unknown paths. */
async function read(
  url: URL,
  response: ServerResponse,
  source: BoardSource,
  getPage: GetPage,
): Promise<Answer | undefined> {
  switch (url.pathname) {
    case "/":
      return { type: "text/html", text: await getPage(dayIn(url) ?? "today", () => renderPage(url, source)) };
    case "/board.css":
      return { type: "text/css", text: boardFile("board.css") };
    case "/board.js":
      return { type: "text/javascript", text: boardFile("board.js") };
    case "/icon.svg":
      return {
        type: "image/svg+xml",
        text: renderIcon(Math.max(0, Math.floor(Number(url.searchParams.get("n"))) || 0)),
      };
    case "/log":
      return { type: "text/html", text: await renderLog(url, response, source) };
    case "/event": {
      const sections = await source.story(url.searchParams.get("id") ?? "");
      const story = sections.map(({ title, rows }) => html`<h3>${title}</h3>${storyTable(rows)}`);
      return { type: "text/html", text: html`${story}`.text };
    }
    default:
      return undefined;
  }
}

/** Parses the requested day from a URL; undefined if the URL has no valid day. */
function dayIn(url: URL): Day | undefined {
  const day = url.searchParams.get("day") ?? "";
  return isDay(day) ? day : undefined;
}

async function renderPage(url: URL, source: BoardSource): Promise<string> {
  const now = readBoardNow(source);
  const report = readDay(dayIn(url) ?? toDay(now.nowMs), source.paths, now, await source.notifiers());
  return renderLive(withTrend(report, source.paths), now);
}

async function renderLog(url: URL, response: ServerResponse, source: BoardSource): Promise<string> {
  const readParameter = (name: keyof LogQuery): string => url.searchParams.get(name) ?? "";
  const query = {
    words: readParameter("words"),
    kind: readParameter("kind"),
    project: readParameter("project"),
    agent: readParameter("agent"),
  };
  const disconnected = new AbortController();
  response.on("close", () => disconnected.abort());
  if (query.words.trim() !== "") {
    return logList(await searchJournal(source.paths.journal, query, maxShown, disconnected.signal), "live", "found")
      .text;
  }
  const now = readBoardNow(source);
  const { stories } = readDay(dayIn(url) ?? toDay(now.nowMs), source.paths, now, []);
  return logList(
    stories.filter((story) => matchesQuery(query, story)),
    "live",
  ).text;
}

/** Minimum time for which a rendered page is reused, milliseconds. */
const minPageAgeMs = 250;

/** Returns the page for a key, which it renders unless the last page has the same key and is recent. */
type GetPage = (key: string, render: () => Promise<string>) => Promise<string>;

/**
 * Keeps the page rendered last. Requests for the same page share it while it renders, and afterwards for as long as its
 * rendering took, but at least for 250 ms.
 */
function keepPage(clock: ClockPort): GetPage {
  let last: { readonly key: string; readonly page: Promise<string>; untilMs: number } | undefined;
  return (key, render) => {
    const beganAtMs = clock.uptimeMs();
    if (last?.key === key && beganAtMs < last.untilMs) return last.page;
    const rendered = { key, page: render(), untilMs: Number.POSITIVE_INFINITY };
    const end = (): void => {
      const endedAtMs = clock.uptimeMs();
      rendered.untilMs = endedAtMs + Math.max(minPageAgeMs, endedAtMs - beganAtMs);
    };
    const fail = (): void => {
      rendered.untilMs = 0;
    };
    rendered.page.then(end, fail);
    last = rendered;
    return rendered.page;
  };
}

const maxBodyBytes = 8_192;
const text = z.string().max(1_024);
const session = z.strictObject({ key: text });

/** Actions that a page may run, by path. */
const acts: Readonly<Record<string, (body: unknown, actions: BoardActions) => Promise<ActionResult>>> = {
  "/seen": (body, actions) => actions.seen(session.parse(body).key),
  "/focus": (body, actions) => actions.focus(session.parse(body).key),
  "/snooze": (body, actions) => actions.snooze(snooze.parse(body)),
  "/answer": (body, actions) => actions.answer(answerBody.parse(body)),
  "/test": (body, actions) => actions.test(z.strictObject({ notifier: text }).parse(body).notifier),
};
const answerBody = z.strictObject({
  id: text,
  hash: text,
  choice: z.enum(answerChoices),
  pick: z.int().positive().optional(),
});

const snooze = z.strictObject({
  time: text,
  key: text.optional(),
  project: text.optional(),
  session: text.optional(),
  notifier: text.optional(),
});

/** Runs an action and returns its result; undefined for an unknown action or a malformed request. */
async function act(path: string, request: IncomingMessage, actions: BoardActions) {
  const found = Object.hasOwn(acts, path) ? acts[path] : undefined;
  const isJson = request.headers["content-type"] === "application/json";
  const body = found && isJson ? parseJson(await readBody(request)) : undefined;
  if (!found || body === undefined) return undefined;
  try {
    const { isDone, text: message } = await found(body, actions);
    return { type: "application/json", text: JSON.stringify({ isDone, text: message }) } as const;
  } catch (error) {
    if (error instanceof z.ZodError) return undefined;
    throw error;
  }
}

/** Reads the request body; empty if the body is too long. */
async function readBody(request: IncomingMessage): Promise<string> {
  const body = await readStart(request, maxBodyBytes);
  return body.length > maxBodyBytes ? "" : body.toString();
}
