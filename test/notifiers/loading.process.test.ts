import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { worker } from "../../scripts/build-options.ts";
import { notifierLoaders } from "../../src/notifiers/registry.ts";
import { run } from "../world/home.ts";
import { startReceiver } from "../world/receiver.ts";
import { startTelegramBotApi, TelegramBot } from "../world/telegram-bot-api.ts";
import { useEach } from "../world/use.ts";
import { useHome } from "../world/use-home.ts";

// The package's worker has no names of modules.
const { outputFiles } = await build({ ...worker, minifyIdentifiers: false, write: false });
const home = useHome();
const receiver = useEach("close", () => startReceiver());

/** Functions that V8 has run: https://nodejs.org/docs/latest-v20.x/api/cli.html#node_v8_coveragedir */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** Lists the worker's modules that ran. esbuild turns each lazily loaded module into a function named by its path. */
function modulesThatRan(folder: string): readonly string[] {
  const [file = ""] = readdirSync(folder);
  const { result }: Coverage = JSON.parse(readFileSync(join(folder, file), "utf8"));
  const functions = result.filter(({ url }) => url.endsWith("/worker-main.cjs")).flatMap((script) => script.functions);
  return functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName);
}

/** Runs a worker for one event. @returns the worker's modules that ran */
async function runWorker(): Promise<readonly string[]> {
  const coverage = mkdtempSync(join(home.paths.root, "coverage-"));
  const record = '{"v":1,"event":"Stop","agent":"claude"}\n{"hook_event_name":"Stop","session_id":"s"}\n{"end":0}\n';
  writeFileSync(join(home.paths.spool, "new", "one.json"), record);
  writeFileSync(join(home.paths.app, "dist", "worker-main.cjs"), outputFiles[0]?.contents ?? "");
  await run(process.execPath, [home.paths.worker], "", { env: { ...home.env, NODE_V8_COVERAGE: coverage } });
  return modulesThatRan(coverage);
}

test("a worker loads nothing for answers, though they are set up, until a hook asks", async () => {
  const bot = new TelegramBot("123456:ABCdefGHIjklMNOpqrSTUvwxYZ0123456789", [1]);
  const api = await startTelegramBotApi([bot]);
  const me = { type: "telegram", token: bot.token, chatId: "1", server: api.origin };
  const answers = { agents: ["claude"], projects: ["/**"], from: { me: { users: [1] } } };
  const attention = { wait: "0s", withdraw: false };
  home.writeConfig({ notifiers: { me }, attention, delivery: { linger: "0s" }, answers });
  const ran = await runWorker();
  await api.close();
  expect(ran).toContain("src/notifiers/telegram.ts");
  expect(ran.filter((name) => /src\/answers\/|answer-presses/.test(name))).toEqual([]);
  expect(api.requests.map(({ path }) => path.split("/").at(-1))).toEqual(["sendMessage"]);
});

test("a worker loads only the configured notifiers, without libraries of the others", async () => {
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "0s" } });
  const ran = await runWorker();
  expect(receiver.accepted).toHaveLength(1);
  const others = Object.keys(notifierLoaders).filter((name) => name !== "webhook");
  expect(ran).toContain("src/notifiers/webhook.ts");
  expect(ran.filter((name) => others.includes(/^src\/notifiers\/([^/]+)\.ts$/.exec(name)?.[1] ?? ""))).toEqual([]);
  expect(ran.filter((name) => /nodemailer|@nats-io|src\/(relay\/nats|service)\/|messages\/(?!en)/.test(name))).toEqual(
    [],
  );
});
