import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const json = process.env["VITEST_JSON"];

/** Tests that wait for servers and machines of their own most of the time: several files at once. */
const servers = [
  "test/relay/{nats,share,faults,hostile}*.real.test.ts",
  "test/relay/{nats,server}/*.real.test.ts",
  "test/notifiers/alertmanager.real.test.ts",
];

/** Tests that stop the clock, watch or replace modules, hold locks by the name of their process, or compare times. */
const apart = [
  "test/{attention,core,hook,hooks,io,relay,spool,worker}/**/*.test.ts",
  "test/agents/opencode.test.ts",
  "test/journal/bytes-read.test.ts",
  "test/text/linear.test.ts",
];
const processes = "test/**/*.process.test.ts";
const real = "test/**/*.real.test.ts";

/**
 * `unit` and `unit-apart` need only Node and run in one process, but for `test/smoke.test.ts`; the files of `unit` share
 * a few processes, since loading the same modules for each took longer than its tests. `processes` starts hooks, workers
 * and command lines. `real` talks to a notification daemon, an audio sink and a browser (`.ci/run` installs them),
 * `servers` to servers.
 */
export default defineConfig({
  test: {
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } }, // on a busy machine everything comes, but late
    // Vitest leaves one core alone; most tests wait for processes, so that three workers keep two cores busy.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    reporters: json ? ["default", ["json", { outputFile: json }]] : ["default"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [real, processes, ...apart],
          isolate: false,
        },
      },
      { extends: true, test: { name: "unit-apart", include: apart, exclude: [real, processes] } },
      { extends: true, test: { name: "processes", include: [processes], exclude: [real] } },
      {
        extends: true,
        test: {
          name: "real",
          include: [real],
          exclude: servers,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: "servers", include: servers, sequence: { groupOrder: 2 } } },
    ],
  },
});
