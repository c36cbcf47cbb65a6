import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const json = process.env["VITEST_JSON"];

/** `unit` needs only Node; `real` talks to a notification daemon, an audio sink and a browser (`.ci/run` installs them). */
export default defineConfig({
  test: {
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Vitest leaves one core alone; most tests wait for processes, so that two workers do well on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: json ? ["default", ["json", { outputFile: json }]] : ["default"],
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], exclude: ["test/**/*.real.test.ts"] } },
      { extends: true, test: { name: "real", include: ["test/**/*.real.test.ts"], fileParallelism: false } },
    ],
  },
});
