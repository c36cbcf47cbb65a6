/**
 * Makes a home with the programs of an earlier version, and stores it for `test/worker/stored-home.process.test.ts`:
 * `npx tsx scripts/store-home.ts CLONE VERSION`, with the folder of a built clone and the name to store the home under.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHost } from "../src/io/host.ts";
import { homeAt, run, sleep } from "../test/world/home.ts";
import { answer, inTurn, silence } from "../test/world/hostile-server.ts";
import { makeLastingFolder } from "../test/world/lasting-folder.ts";
import { ageHome, moveHome, startReceivers, storedAtMs, storedHomes, storedParts } from "../test/world/stored-home.ts";

const [clone = "", version = ""] = process.argv.slice(2);
const refusals = {
  team: answer(429, { "retry-after": "3600" }),
  old: answer(404),
  slow: inTurn(answer(200), silence),
};
const receivers = await startReceivers(refusals);
const root = makeLastingFolder("stored");
const home = homeAt(root);
const { paths } = home;
const env = { PATH: "/usr/bin:/bin", HOME: root, BECKON_HOME: root, ...receivers.env };

mkdirSync(paths.app, { recursive: true, mode: 0o700 });
for (const part of ["dist", "templates"]) cpSync(join(clone, part), join(paths.app, part), { recursive: true });
cpSync(join(clone, "dist", "hooks", "hook.sh"), paths.launcher);
writeFileSync(paths.nodeRecord, `${process.execPath}\n`);
for (const folder of ["tmp", "new", "cur", "dead"])
  mkdirSync(join(paths.spool, folder), { recursive: true, mode: 0o700 });
const config = {
  notifiers: {
    phone: { type: "ntfy", server: receivers.origin, topic: "agents" },
    board: { type: "discord", url: "${env:BOARD_URL}" },
    team: { type: "webhook", url: "${env:TEAM_URL}" },
    old: { type: "webhook", url: "${env:OLD_URL}" },
    slow: { type: "webhook", url: "${env:SLOW_URL}" },
  },
  routes: [
    { kinds: ["needs-you", "finished"], to: ["phone"] },
    { kinds: ["needs-you"], projects: ["/home/dev/bank"], to: ["board", "slow"] },
    { kinds: ["failed"], to: ["team", "old"] },
  ],
  lookups: [],
  answers: { agents: ["claude"], projects: ["/home/dev/**"], when: "always" },
  attention: {
    wait: "0s",
    quiet: ["00:00-12:00", "12:00-00:00"].map((at) => ({ at, hold: ["finished"] })),
  },
  delivery: { linger: "1h", expire: { "needs-you": "1d", failed: "1d", finished: "1d" } },
};
home.writeConfig(config);

/** Fires an event as an agent does, of a session named like its project. Resolves when the hook has ended. */
async function fire(event: string, project: string, payload: object, options = "") {
  const child = spawn("sh", ["-c", `'${paths.launcher}' ${event} --agent claude ${options} || :`], {
    cwd: "/usr", // a folder around beckon's would let the agent write answers
    env: { ...env, CLAUDE_PROJECT_DIR: `/home/dev/${project}` },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const place = { session_id: project, cwd: `/home/dev/${project}` };
  child.stdin.end(JSON.stringify({ hook_event_name: event, ...place, ...payload }));
  await new Promise((resolve) => child.on("close", resolve));
}
const ask = (project: string, options = "") => {
  const call = { permission_mode: "default", tool_name: "Bash", tool_input: { command: `touch ${project}` } };
  return fire("PermissionRequest", project, call, options);
};
const snooze = (...args: string[]) =>
  run(process.execPath, [join(paths.app, "dist", "cli.js"), "snooze", ...args], "", { env });
const journalled = (project: string, status: string, notifier?: string) =>
  home.until((lines) =>
    lines.some((line) => line.project === project && line.status === status && line.notifier === notifier),
  );

/** Has agents work until the home has everything that is stored. */
async function live(): Promise<void> {
  // Open requests whose messages are visible, one of them held for an answer.
  await ask("bank");
  await journalled("bank", "sent", "slow");
  await ask("gone");
  const waiting = ask("asks", "--ask 600");
  await journalled("asks", "sent", "phone");
  await journalled("gone", "sent", "phone");
  // A failure that one receiver postpones by an hour and another refuses.
  await fire("StopFailure", "deep", { error: "server_error", last_assistant_message: "API Error: 529 overloaded" });
  await journalled("deep", "failed", "old");
  await journalled("deep", "retrying", "team");
  // Held messages: by quiet hours, by a snooze of everything, and by one of a project.
  await fire("Stop", "done", { last_assistant_message: "All tests pass." });
  await journalled("done", "held", "phone");
  await snooze("30m");
  await snooze("3h", "--project", "shop");
  await ask("mall");
  await journalled("mall", "held", "phone");
  await ask("shop");
  await journalled("shop", "held", "phone");
  const held = ask("hold", "--ask 600");
  await journalled("hold", "held", "phone");
  // The worker has seen that the agents live.
  const alertsFolder = join(paths.state, "alerts");
  const isSeen = (file: string) => readFileSync(join(alertsFolder, file), "utf8").includes('"wasAgentSeen":true');
  while (readdirSync(alertsFolder).filter(isSeen).length < 6) await sleep(100);
  // A worker that dies between two deliveries of an event, and a hook whose worker cannot start.
  await ask("bank");
  await home.until(
    (lines) => lines.filter(({ status, notifier }) => status === "sent" && notifier === "board").length === 2,
  );
  await home.killWorker();
  renameSync(paths.worker, `${paths.worker}.away`);
  await ask("last");
  await Promise.all([waiting, held]); // within seconds, as no worker is left
}

/** Stores the home, as of a machine without a name and at a fixed time. */
function store(): void {
  const target = join(storedHomes, version);
  rmSync(target, { recursive: true, force: true });
  for (const part of storedParts) cpSync(join(root, part), join(target, part), { recursive: true });
  for (const file of readdirSync(join(target, "spool")))
    if (file.startsWith("worker")) rmSync(join(target, "spool", file));
  const visible = JSON.stringify(Object.fromEntries(receivers.visible), null, 2);
  const host = createHost().elsewhere();
  writeFileSync(join(target, "visible.json"), `${host === undefined ? visible : visible.replaceAll(`@${host}`, "")}\n`);
  moveHome(target, undefined);
  ageHome(target, Date.now() - storedAtMs);
}

try {
  await live();
  store();
} finally {
  await home.remove();
  await receivers.close();
}
