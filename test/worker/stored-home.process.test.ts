import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allow } from "../answers/replies.ts";
import { askedPayload, startAgent, typeAnswer, untilAsked } from "../world/asking-agent.ts";
import { createHome, type Home } from "../world/home.ts";
import { makeLastingFolder } from "../world/lasting-folder.ts";
import {
  ageHome,
  copyStoredHome,
  letAgentsLive,
  type StoredReceivers,
  startReceivers,
  storedHomes,
} from "../world/stored-home.ts";

const notice = "beckon: a notifier is broken";
let home: Home;
let receivers: StoredReceivers;
/** Stands in for the stored agents that are still running. */
let agent: ChildProcess;

/** Fires an event of a session, whose project has the session's name. */
const fire = (event: string, session: string, payload: object) => {
  const place = { session_id: session, cwd: `/home/dev/${session}` };
  const text = JSON.stringify({ hook_event_name: event, ...place, ...payload });
  return home.launch([event, "--agent", "claude"], text, { env: receivers.env });
};
const answer = (session: string) => fire("UserPromptSubmit", session, { prompt: "yes" });
const fail = (session: string) => fire("StopFailure", session, { error: "server_error" });

/** Lists what has happened so far with one status, as `session notifier`, in alphabetical order. */
const listed = (status: string, journal = home.journal()) =>
  journal
    .filter((line) => line.status === status && line.agent !== "beckon")
    .map(({ sessionId, notifier = "" }) => `${sessionId} ${notifier}`.trim())
    .toSorted();
/** Waits until as much has happened with one status. */
const until = (status: string, expected: readonly string[]) =>
  expect.poll(() => listed(status), { timeout: 15_000 }).toEqual(expected.toSorted());
/** Lists the sessions with events in a part of the spool, in alphabetical order. */
const spooled = (isIn: (file: string) => boolean) =>
  home
    .spooled()
    .filter(isIn)
    .map((file) => /"session_id":"(\w+)"/.exec(readFileSync(join(home.paths.spool, file), "utf8"))?.[1] ?? "")
    .toSorted();
const dead = () => spooled((file) => file.startsWith("dead/"));
const waiting = () => spooled((file) => !file.startsWith("dead/"));
/** Takes the requests since the last time, in alphabetical order. */
const takeRequests = () =>
  receivers.requests
    .splice(0)
    .map(({ what }) => what)
    .toSorted();
/** Lists the titles of the messages that can be seen; a chat's have none. */
const shownTitles = () => [...receivers.visible.values()].map((text) => JSON.parse(text).title ?? "");
/** Lists the alerts that remember a message which can be withdrawn. */
const withReceipts = () => {
  const folder = join(home.paths.state, "alerts");
  return readdirSync(folder).filter((file) => readFileSync(join(folder, file), "utf8").includes('"receipt"'));
};
/** Kills the worker, and lets two hours pass before the next one starts. */
const passTwoHours = async () => {
  await home.killWorker();
  ageHome(home.paths.root, 2 * 3_600_000);
};

// Each home was made by the programs of a version, with `scripts/store-home.ts`.
describe.each(readdirSync(storedHomes))("a home that version %s left", (version) => {
  beforeEach(async () => {
    receivers = await startReceivers();
    const created = createHome("stored", makeLastingFolder("stored"));
    const { CLAUDECODE: _, ...env } = created.env; // an agent may run the tests
    home = { ...created, env: { ...env, ...receivers.env } };
    agent = spawn("cat");
    copyStoredHome(version, home.paths.root, receivers);
    letAgentsLive(home.paths.root, agent.pid ?? 0);
  });
  afterEach(async () => {
    agent.kill();
    await home.remove();
    await receivers.close();
  });

  test("goes on: nothing is lost, sent twice or left to be seen", async () => {
    const before = ["asks phone", "bank board", "bank board", "bank phone", "bank slow", "gone phone"];
    expect(listed("sent")).toEqual(before);
    expect(receivers.visible.size).toBe(6);

    // A minute later: everything is snoozed, `team` is paused, `old` is broken. One event was sent to `board` only.
    await fail("also");
    const first = [...before, "bank slow"];
    await until("sent", first);
    await until("failed", ["also old", "deep old"]);
    await Promise.all(["bank", "asks"].map(answer));
    await until("withdrawn", ["asks phone", "bank board", "bank board", "bank board", "bank phone", "gone phone"]);
    await expect.poll(waiting).toEqual(["also", "bank", "deep", "done", "hold", "last", "mall", "shop"]);
    await expect.poll(withReceipts).toEqual([]);
    expect(takeRequests()).toEqual(["board PATCH", "board PATCH", "phone PUT", "phone PUT", "phone PUT", "slow POST"]);
    expect(shownTitles()).toEqual([notice]);

    // Then only the project `shop` is snoozed, and quiet hours hold what is finished.
    await passTwoHours();
    await fail("third");
    const second = ["also team", "deep team", "third team", "third old", "hold phone", "last phone", "mall phone"];
    await until("sent", [...first, ...second]);
    await expect.poll(waiting).toEqual(["done", "shop"]);
    expect(takeRequests()).toEqual(["old POST", "phone POST", "team POST", "team POST", "team POST"]);
    expect(shownTitles()).toEqual([notice, "3 sessions need you"]);

    // Then nothing is snoozed or quiet.
    await passTwoHours();
    const config = JSON.parse(readFileSync(home.paths.config, "utf8"));
    home.writeConfig({ ...config, attention: { wait: "0s" } });
    await answer("hold");
    await until("sent", [...first, ...second, "done phone", "shop phone"]);
    expect(shownTitles()).toEqual([notice, "3 sessions need you", "2 messages"]);
    await Promise.all(["last", "mall", "shop", "done"].map(answer));
    await expect.poll(withReceipts).toEqual([]);
    await expect.poll(waiting).toEqual([]);
    expect(takeRequests()).toEqual(["phone POST", "phone PUT", "phone PUT"]);
    expect(shownTitles()).toEqual([notice]);
    expect(dead()).toEqual(["also", "deep"]); // which `old` did not get
    expect(listed("sent")).toEqual([...first, ...second, "done phone", "shop phone"].toSorted());
  });

  test("leaves the requests that it held to their agents, and the next one is answered", async () => {
    const { asks } = home.paths;
    const [held = ""] = readdirSync(asks).filter((file) => readFileSync(join(asks, file), "utf8").includes('"hold"'));
    const payload = askedPayload({ tool: "Bash", input: { command: "touch more" }, cwd: "/home/dev/more" });
    const asking = startAgent(home, payload);
    const { id } = await untilAsked(home, 3);
    // The hook that still waits gets an empty answer.
    const left = [held.replace(".json", ""), `${id}.json`];
    await expect.poll(() => readdirSync(asks).toSorted()).toEqual(left.toSorted());
    await until("given-up", ["hold"]);
    await typeAnswer(home, [id, "allow"], "allow");
    expect(await asking.end).toMatchObject({ printed: allow, exitCode: 0 });
  });
});
