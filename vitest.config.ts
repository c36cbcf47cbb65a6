import { defineConfig } from "vitest/config";

const json = process.env["VITEST_JSON"];

/** `unit` needs only Node; `real` talks to a notification daemon, an audio sink and a browser (`.ci/run` installs them). */
export default defineConfig({
  test: {
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: json ? ["default", ["json", { outputFile: json }]] : ["default"],
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], exclude: ["test/**/*.real.test.ts"] } },
      { extends: true, test: { name: "real", include: ["test/**/*.real.test.ts"], fileParallelism: false } },
    ],
  },
});
