import { beforeEach } from "vitest";
import type { CliContext, OutputTerminal } from "../../src/cli/context.ts";
import { keys } from "../../src/fake-service/access.ts";
import type { Sizes } from "../../src/fake-service/state.ts";
import { createCliHome } from "./cli-home.ts";
import { noonMs } from "./service/client.ts";
import { startSandbox } from "./service/server.ts";
import { useShared } from "./use.ts";

type ServiceHome = Awaited<ReturnType<typeof openServiceHome>>;

/** Opens a sandbox of the service, and a home whose environment has its addresses and the owner's key. */
async function openServiceHome(sizes: Partial<Sizes> = {}, now: () => number = () => noonMs) {
  const sandbox = await startSandbox({ sizes, now });
  const home = createCliHome();
  const { baseUrl, appUrl } = sandbox;
  const env = { ...home.env, BECKON_BASE_URL: baseUrl, BECKON_APP_URL: appUrl, BECKON_API_KEY: keys.owner };
  return {
    sandbox,
    home,
    env,
    /**
     * Runs `beckon service …` in this process, at noon of a day in the sandbox's data, without pauses between attempts.
     */
    run(line: string | readonly string[], changes?: Partial<CliContext>, more: NodeJS.ProcessEnv = {}) {
      const args = typeof line === "string" ? line.split(" ") : line;
      const place = { home: home.home, project: home.project, env: { ...env, ...more }, platform: process.platform };
      return home.run(["service", ...args], { environment: place, now, sleep: async () => {}, ...changes });
    },
    async close() {
      await home.remove();
      await sandbox.close();
    },
  };
}

/**
 * Opens a service home that the tests of a file or a `describe` block share. The service's records are empty at the
 * start of each test.
 */
export function sharedServiceHome(...options: Parameters<typeof openServiceHome>): ServiceHome {
  const world = useShared("close", () => openServiceHome(...options));
  beforeEach(() => {
    world.sandbox.seen.length = 0;
  });
  return world;
}

/** Creates a terminal that records its output. */
export function createTerminal(columns: number): OutputTerminal & { written: string } {
  return {
    written: "",
    columns: () => columns,
    write(text) {
      this.written += text;
    },
  };
}
