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
    "src/worker.ts": `src/worker src/relay/lazy-relay.ts src/io src/spool src/config/load.ts ${ground}`,
    "src/set-up.ts": `src/installer/app/set-up-app.ts ${ground}`,
    "src/worker": `src/answers/answer-keeper.ts src/follow-up src/pipeline src/attention src/journal src/spool src/config ${ground}`,
    "src/cli":
      "src/answers/ask-files.ts src/board src/actions src/worker src/pipeline src/attention src/journal src/relay src/config src/installer src/agents/registry.ts " +
      `src/notifiers/registry.ts src/lookups/registry.ts src/lookups/session-files.ts src/lookups/session-state.ts src/report src/service src/service.ts src/spool src/io ${ground}`,
    "src/board": `src/lookups/session-state.ts src/actions/board-actions.ts src/answers/ask-files.ts src/attention src/journal src/config/catalogues.ts src/agents/registry.ts ${ground}`,
    "src/actions": `src/agents/cli.ts src/answers src/pipeline src/attention src/journal src/config src/spool ${ground}`,
    "src/answers": `src/follow-up/withdraw.ts src/pipeline src/attention src/journal src/config src/agents/registry.ts src/spool ${ground}`,
    "src/follow-up": `src/lookups/session-state.ts src/pipeline src/attention src/journal src/config src/spool ${ground}`,
    "src/pipeline": `src/attention src/journal src/config src/agents/registry.ts src/lookups/registry.ts src/lookups/session-files.ts src/spool ${ground}`,
    "src/relay": `src/attention src/journal src/config src/spool ${ground}`,
    "src/attention": `src/journal ${ground}`,
    "src/journal": ground,
    "src/config/edit": `src/config src/installer src/io/clock.ts ${ground}`,
    "src/config":
      "src/attention/quiet.ts src/agents/registry.ts src/notifiers/registry.ts src/lookups/registry.ts " +
      `templates/messages ${ground}`,
    "src/installer": `src/agents/registry.ts src/io ${ground}`,
    "src/lookups": `src/service src/agents src/attention/alert.ts ${ground}`,
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
    "src/fake-service": `src/service ${ground}`,
    "src/files": "src/core src/text",
    "src/core": "src/text",
    "src/text": "",
  }).map(([room, others]) => [room, others.split(" ")]),
);

/** Rooms whose files never import one another, except their shared parts; their registry imports them all. */
const isolated: Readonly<Record<string, { readonly registry: string; readonly shared: readonly string[] }>> = {
  "src/notifiers": { registry: "src/notifiers/registry.ts", shared: ["src/notifiers/shared/"] },
  "src/lookups": { registry: "src/lookups/registry.ts", shared: ["src/lookups/session-files.ts"] },
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

/** Finds the targets that a file needs when it runs: all but those of which it imports only types. */
function findValueArrows({ file, text }: Source): Arrow[] {
  const isTypes = (names: string) => names.split(",").every((name) => /^\s*(?:type\s|$)/.test(name));
  const withoutTypes = text
    .replace(/^(?:import|export) type [^"']*["'][^"']+["'];$/gm, "")
    .replace(/^import \{([^}]*)\} from ["'][^"']+["'];$/gm, (line, names: string) => (isTypes(names) ? "" : line));
  return findArrows({ file, text: withoutTypes });
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

/** Finds the files that import themselves through other files, not counting imports of types within a room. */
function inCycles(files: readonly Source[]): string[] {
  const targets = new Map(files.map((source) => [source.file, findCycleArrows(source)]));
  const reaches = (file: string) => {
    const seen = new Set(targets.get(file));
    for (const next of seen) for (const to of targets.get(next) ?? []) seen.add(to);
    return seen.has(file);
  };
  return files.map(({ file }) => file).filter(reaches);
}

function findCycleArrows(source: Source): string[] {
  const isOutside = ({ from, to }: Arrow) => findRoom(to) !== findRoom(from);
  return [...findArrows(source).filter(isOutside), ...findValueArrows(source)].map(({ to }) => to);
}

/** Finds the rooms that lead back to themselves through the table of allowed imports. */
function inRoomCycles(table: typeof arrows): string[] {
  const targets = (room: string) => (table[room] ?? []).map((to) => findRoom(to) ?? to).filter((to) => to !== room);
  return Object.keys(table).filter((room) => {
    const seen = new Set(targets(room));
    for (const next of seen) for (const to of targets(next)) seen.add(to);
    return seen.has(room);
  });
}

describe("the source", () => {
  test("has every file in a room", () => {
    expect(sources.map(({ file }) => file).filter((file) => findRoom(file) === undefined)).toEqual([]);
  });

  test("imports only downwards", () => {
    expect(forbiddenArrows(sources)).toEqual([]);
  });

  test("has no import cycle but of types within a room", () => {
    expect(inCycles(sources)).toEqual([]);
  });

  test("has no cycle of rooms", () => {
    expect(inRoomCycles(arrows)).toEqual([]);
  });

  test("imports files by their full name", () => {
    const relative = sources.flatMap(findArrows).filter(({ to }) => isOurs(to));
    expect(relative.filter(({ to }) => !/\.(ts|json)$/.test(to))).toEqual([]);
  });

  test("has no pipeline step that imports an earlier one", () => {
    const steps = ["parse", "accept", "attend", "deliver"].map((step) => `src/pipeline/${step}.ts`);
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

  const cycles: readonly (readonly [what: string, first: Source, second: Source, found: boolean])[] = [
    ["values", plain("core", "one", "{ Two }"), plain("core", "two", "{ One }"), true],
    ["values and types", plain("core", "one", "{ type Two, two }"), plain("core", "two", "{ one }"), true],
    ["types within a room", plain("core", "one", "type { Two }"), plain("core", "two", "{ One }"), false],
    ["types, listed singly", plain("core", "one", "{ type Two }"), plain("core", "two", "{ One }"), false],
    ["types of rooms", plain("core", "one", "type { Two }", "io"), plain("io", "two", "type { One }", "core"), true],
  ];
  test("finds a cycle, but not of types within a room", () => {
    const found = cycles.map(([what, ...files]) => [what, inCycles(files.slice(0, 2) as Source[]).length > 0]);
    expect(found).toEqual(cycles.map(([what, , , isFound]) => [what, isFound]));
  });

  test("finds a cycle of rooms", () => {
    expect(inRoomCycles({ "src/core": ["src/io/http.ts"], "src/io": ["src/core"] })).toEqual(["src/core", "src/io"]);
  });
});

/** Makes a file `name` of a room that imports from the other of two files, `one` and `two`. */
function plain(room: string, name: "one" | "two", names: string, otherRoom = room): Source {
  const other = name === "one" ? "two" : "one";
  return { file: `src/${room}/${name}.ts`, text: `import ${names} from "../${otherRoom}/${other}.ts";` };
}
