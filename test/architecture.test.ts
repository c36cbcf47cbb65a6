import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { type Source, sources } from "./world/sources.ts";

/** Lowest rooms, which all others build on. */
const ground = "src/files src/core src/text";

/**
 * Allowed imports: from a room to rooms or single files, only downwards. A room is a folder under `src/`, or a file
 * next to those folders. Within a room everything may be imported, except as `isolated` says.
 */
const arrows: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    "install.ts": "scripts",
    hooks: "src/hook",
    "src/hook": `src/spool/put.ts src/spool/record.ts src/spool/wake.ts ${ground}`,
    "src/start-worker.ts": `src/worker.ts ${ground}`,
    "src/worker.ts": `src/worker src/relay/lazy-relay.ts src/io src/spool ${ground}`,
    "src/set-up.ts": `src/installer/app/set-up-app.ts ${ground}`,
    "src/worker": `src/answers/answer-keeper.ts src/follow-up src/pipeline src/attention src/journal src/spool src/config ${ground}`,
    "src/cli":
      "src/answers/ask-files.ts src/board src/actions src/worker src/pipeline src/attention src/journal src/relay src/config src/installer src/agents/registry.ts " +
      `src/notifiers/registry.ts src/lookups/registry.ts src/report src/service src/service.ts src/spool src/io ${ground}`,
    "src/docs":
      "src/cli src/config src/installer src/agents/registry.ts src/notifiers/registry.ts " +
      `src/notifiers/shared/webhook-body-schema.ts src/lookups/registry.ts src/service.ts src/service ${ground}`,
    "src/board": `src/actions/board-actions.ts src/attention src/journal src/agents/registry.ts ${ground}`,
    "src/actions": `src/agents/cli.ts src/answers src/pipeline src/attention src/journal src/config src/spool ${ground}`,
    "src/answers": `src/follow-up/change.ts src/follow-up/withdraw.ts src/pipeline src/attention src/journal src/config src/agents/registry.ts src/spool ${ground}`,
    "src/follow-up": `src/pipeline src/attention src/journal src/config src/spool ${ground}`,
    "src/pipeline": `src/attention src/journal src/config src/agents/registry.ts src/lookups/registry.ts src/spool ${ground}`,
    "src/relay": `src/attention src/journal src/config src/spool ${ground}`,
    "src/attention": `src/journal ${ground}`,
    "src/journal": ground,
    "src/config/edit": `src/config src/installer ${ground}`,
    "src/config":
      "src/attention/quiet.ts src/agents/registry.ts src/notifiers/registry.ts src/lookups/registry.ts " +
      `templates/messages ${ground}`,
    "src/installer": `src/agents/registry.ts src/io ${ground}`,
    "src/lookups": `src/service src/agents ${ground}`,
    "src/notifiers": ground,
    "src/agents": ground,
    "src/report": `src/service ${ground}`,
    "src/service": ground,
    "src/spool": ground,
    "src/io": ground,
    "src/index.ts": ground,
    "src/service.ts": `src/service src/io ${ground}`,
    "src/service-fetch.ts": `src/service src/io/fetch-http.ts ${ground}`,
    "src/service-testing.ts": "src/fake-service",
    "src/fake-service": "",
    "src/files": "src/core src/text",
    "src/core": "src/text",
    "src/text": "",
  }).map(([room, others]) => [room, others.split(" ")]),
);

/** Rooms whose files never import one another, except their shared parts; their registry imports them all. */
const isolated: Readonly<Record<string, { readonly registry: string; readonly shared: readonly string[] }>> = {
  "src/notifiers": {
    registry: "src/notifiers/registry.ts",
    shared: ["src/notifiers/shared/"],
  },
  "src/lookups": { registry: "src/lookups/registry.ts", shared: [] },
};

interface Arrow {
  readonly from: string;
  /** A file of the repository, or a package or `node:` module by its written name. */
  readonly to: string;
}

/** Finds the targets of a file's import and export lines, including types and dynamic imports. */
function findArrows({ file, text }: Source): Arrow[] {
  const named = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g)].map(([, specifier]) => specifier);
  return named.map((to = "") => ({ from: file, to: to.startsWith(".") ? posix.join(posix.dirname(file), to) : to }));
}

function isOurs(file: string): boolean {
  return /^(src|hooks|templates|scripts)\//.test(file);
}

function findRoom(file: string): string | undefined {
  return Object.keys(arrows).find((room) => file === room || file.startsWith(`${room}/`));
}

function isAllowed({ from, to }: Arrow): boolean {
  const room = findRoom(from);
  if (room === undefined) return false;
  if (to.startsWith(`${room}/`)) return isAllowedWithin(room, from, to);
  return (arrows[room] ?? []).some((allowed) => to === allowed || to.startsWith(`${allowed}/`));
}

function isAllowedWithin(room: string, from: string, to: string): boolean {
  const { registry, shared } = isolated[room] ?? {};
  if (registry === undefined || from === registry) return true;
  return (shared ?? []).some((folder) => to.startsWith(folder)); // and shared files never lead back to a file that shares them
}

function forbiddenArrows(files: readonly Source[]): string[] {
  return files
    .flatMap(findArrows)
    .filter((arrow) => isOurs(arrow.to) && !isAllowed(arrow))
    .map(({ from, to }) => `${from} -> ${to}`);
}

/**
 * Finds every file that the starts import directly or through other files, including the starts; packages and `node:`
 * modules too.
 */
function reachable(files: readonly Source[], starts: readonly string[]): Set<string> {
  const seen = new Set(starts);
  for (const file of seen) {
    const source = files.find((first) => first.file === file);
    for (const { to } of source ? findArrows(source) : []) seen.add(to);
  }
  return seen;
}

/** Finds the files that import themselves through other files. */
function inCycles(files: readonly Source[]): string[] {
  const targets = (source: Source) => findArrows(source).map(({ to }) => to);
  return files.filter((source) => reachable(files, targets(source)).has(source.file)).map(({ file }) => file);
}

describe("the source", () => {
  test("has every file in a room", () => {
    expect(sources.map(({ file }) => file).filter((file) => findRoom(file) === undefined)).toEqual([]);
  });

  test("imports only downwards", () => {
    expect(forbiddenArrows(sources)).toEqual([]);
  });

  test("has no import cycle, even of types", () => {
    expect(inCycles(sources)).toEqual([]);
  });

  test("imports files by their full name", () => {
    const relative = sources.flatMap(findArrows).filter(({ to }) => isOurs(to));
    expect(relative.filter(({ to }) => !/\.(ts|json)$/.test(to))).toEqual([]);
  });

  test("has no pipeline step that imports an earlier one", () => {
    const steps = ["read-record", "accept", "plan", "attend", "deliver-all"].map((step) => `src/pipeline/${step}.ts`);
    const run = sources.filter(({ file }) => file === "src/pipeline/run.ts").flatMap(findArrows);
    expect(run.map(({ to }) => to)).toEqual(expect.arrayContaining(steps));
    const found = steps.map((step) =>
      [...reachable(sources, [step])].filter((to) => to !== step && steps.includes(to)),
    );
    expect(found).toEqual(steps.map(() => []));
  });

  test("has no package in the code that an agent waits for", () => {
    const starts = sources.map(({ file }) => file).filter((file) => file.startsWith("hooks/"));
    const others = [...reachable(sources, starts)].filter((to) => !isOurs(to) && !to.startsWith("node:"));
    expect(starts).toHaveLength(7);
    expect(others).toEqual([]);
  });

  test("makes no network call while an agent waits", () => {
    const starts = sources.map(({ file }) => file).filter((file) => file.startsWith("hooks/"));
    const reached = reachable(sources, starts);
    // A `Socket` of `node:net` can also read a descriptor.
    expect([...reached].filter((to) => /^node:(?:dgram|dns|http|http2|https|tls)\b/.test(to))).toEqual([]);
    const texts = sources.filter(({ file }) => reached.has(file) || starts.includes(file)).map(({ text }) => text);
    expect(texts.filter((text) => /\b(?:fetch|connect|createConnection)\(/.test(text))).toEqual([]);
    const launcher = readFileSync(join(import.meta.dirname, "../hooks/hook.sh"), "utf8").replace(/^ *#.*$/gm, "");
    expect(launcher).not.toMatch(/\b(?:curl|wget|nc|ssh|telnet|socat)\b|\/dev\/(?:tcp|udp)/);
  });
});

describe("this test", () => {
  const planted = (file: string, text: string): Source[] => [...sources, { file, text }];

  const rows: readonly (readonly [what: string, file: string, text: string])[] = [
    ["a notifier that imports another", "src/notifiers/new.ts", 'import { slack } from "./slack.ts";'],
    ["a core file that imports io", "src/core/new.ts", 'import type { FilesPort } from "../io/files.ts";'],
    ["a shared file that imports a notifier", "src/notifiers/shared/new.ts", 'import { slack } from "../slack.ts";'],
    ["a pipeline step that imports an agent", "src/pipeline/new.ts", 'export * from "../agents/claude.ts";'],
    ["a hook that starts the pipeline", "hooks/new.ts", 'await import("../src/pipeline/run.ts");'],
    ["a side-effect import", "src/spool/new.ts", 'import "../config/load.ts";'],
  ];
  test("finds imports that are not downwards", () => {
    const found = rows.map(([what, file, text]) => [what, forbiddenArrows(planted(file, text)).length]);
    expect(found).toEqual(rows.map(([what]) => [what, 1]));
  });

  test("finds a cycle of types", () => {
    const first = { file: "src/core/one.ts", text: 'import type { Two } from "./two.ts";' };
    const second = { file: "src/core/two.ts", text: 'import type { One } from "./one.ts";' };
    expect(inCycles([first, second])).toEqual([first.file, second.file]);
  });
});
