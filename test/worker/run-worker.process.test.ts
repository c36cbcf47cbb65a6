import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { workerEnvironment } from "../../src/spool/wake.ts";
import { createHome, type Home } from "../world/home.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  home.writeConfig({ notifiers: {}, delivery: { linger: "60s" } });
});
afterEach(() => home.remove());

/** With a file to look into: threads are made when there is work for the first of them. */
const stop = () =>
  JSON.stringify({ hook_event_name: "Stop", session_id: "s", cwd: "/p", transcript_path: home.paths.config });
const starters = {
  "the launcher": () => home.launch(["Stop", "--agent", "claude"], stop()),
  "an entrypoint": () => home.enter("stop", ["--agent", "claude"], stop()),
};
test.each(Object.entries(starters))(
  "a worker that %s has started has threads for many name lookups, and one heap for them",
  async (_, start) => {
    await start();
    await home.until((journal) => journal.length > 0);
    // Node's own threads are seven at most beside these; its default is four.
    const threads = readdirSync(`/proc/${home.workerPid()}/task`).length;
    expect(threads).toBeGreaterThanOrEqual(Number(workerEnvironment.UV_THREADPOOL_SIZE));
    const environment = readFileSync(`/proc/${home.workerPid()}/environ`, "utf8").split("\0");
    expect(environment).toEqual(
      expect.arrayContaining(Object.entries(workerEnvironment).map(([name, value]) => `${name}=${value}`)),
    );
  },
);
