import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LinkChange } from "../../../../docs/output.d.ts";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { loadConfig } from "../../../config/load.ts";
import { CommandError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { createClock } from "../../../io/clock.ts";
import { createExec } from "../../../io/exec.ts";
import { readRelayStatus } from "../../../relay/relay-status.ts";
import { runRelay } from "../../../relay/run-relay.ts";
import { serve } from "../../../relay/serve.ts";
import { cleanLine } from "../../../text/clean.ts";
import type { CliContext, RegisterCommand, RunCommand } from "../../context.ts";
import { addExamples, collect, wholeNumber } from "../../options.ts";
import { type JsonOption, jsonLine, toInstant } from "../../output/json-line.ts";
import { linkText } from "../../status/relay-view.ts";
import { type AddOptions, runAdd } from "./add.ts";
import type { ConsentOptions } from "./hand-over-setup.ts";
import type { InviteOptions, RevokeOptions } from "./invite.ts";
import { runJoin, runLeave } from "./join.ts";
import { requireSources, runHosts, runStatus } from "./status.ts";
import type { UpOptions } from "./up.ts";
import { startService } from "./user-service.ts";

/** Declares `beckon relay`: notifications from agents on other machines. */
export const registerRelay: RegisterCommand = (command, runAlone) => {
  const run: RunCommand = (code) =>
    runAlone(async (context) => {
      await dropExpiredUsers(context);
      return code(context);
    });
  registerMachines(command, run);
  registerServer(command, run);
  command
    .command("serve")
    .description(
      "send waiting events to the machine that fetches them; you need not run this, because that machine does",
    )
    .requiredOption("--stdio", "use standard input and output (required)")
    .action(() => runAlone((context) => runServe(context)));
};

/** Declares the commands for every machine. */
const registerMachines: RegisterCommand = (command, run) => {
  const add = command.command("add");
  addExamples(add, {
    "beckon relay add -- ssh devbox": "set up devbox over SSH",
    "beckon relay add -- docker exec -i web": "set up a container",
    "beckon relay add --seal -- ssh devbox": "set up devbox, which then encrypts message texts for this machine",
  });
  add
    .description("set up another machine, whose events `relay run` fetches, and get notifications from its agents here")
    .argument("<command...>", "command that runs programs on the other machine, such as ssh HOST or docker exec -i BOX")
    .option(
      "--name <host>",
      "name for the other machine; default: the last word of the command, without `user@`, or the machine's hostname if that word cannot be a name",
    )
    .option("--seal", "make the other machine encrypt message texts with age, so that only this machine can read them")
    .option("--yes", "do not ask before making changes")
    .option("--json", "print one JSON object and never ask; needs --yes")
    .action((via: readonly string[], options: AddOptions) => run((context) => runAdd(via, options, context)));
  command
    .command("run")
    .description("fetch events from other machines until Ctrl-C")
    .option(
      "--service",
      "install and start a user service (systemd, launchd) that fetches events now and after every login",
    )
    .option("--json", "print one JSON object per line")
    .action((options: RunOptions) => run((context) => runReceiver(options, context)));
  command
    .command("status")
    .description("show the connections and the number of events that wait to be fetched")
    .option("--json", "print one JSON object")
    .action((options: JsonOption) => run((context) => runStatus(options, context)));
  command
    .command("hosts")
    .description("list the machines that send events here")
    .option("--json", "print one JSON object per line")
    .action((options: JsonOption) => run((context) => runHosts(options, context)));
  command
    .command("join")
    .description("accept an invitation to send this machine's events, or to receive a person's events")
    .argument("<file>", "invitation file; - for standard input")
    .option("--yes", "do not ask before making changes")
    .option("--json", "print one JSON object and never ask; needs --yes")
    .action((file: string, options: ConsentOptions) => run((context) => runJoin(file, options, context)));
  command
    .command("leave")
    .description("stop getting events from a machine; without a name, stop sending this machine's events")
    .argument("[host]", "name of the machine, as in `beckon relay hosts`")
    .option("--yes", "delete the events that still wait to be fetched")
    .option("--json", "print one JSON object")
    .action((host: string | undefined, options: ConsentOptions) => run((context) => runLeave(host, options, context)));
};

/** Declares the commands for a shared server. Their code is loaded on use. */
const registerServer: RegisterCommand = (command, run) => {
  command
    .command("up")
    .description(
      "generate the configuration of a shared NATS server, without starting it; a second run keeps the settings that you do not give",
    )
    .option("--listen <host:port>", "address to listen on; default: 0.0.0.0:4222")
    .option(
      "--name <name>",
      "hostname by which other machines reach the server; may be repeated; default: this machine's hostname",
      collect,
    )
    .option(
      "--cluster <names>",
      "hostnames of three or five servers that keep three copies of each event: a.example,b.example,c.example",
    )
    .option("--team <name>", "name of the team; default: team")
    .option("--person <name>", "person who receives events on this machine; default: your user name")
    .option("--json", "print one JSON object")
    .action((options: UpOptions) => run(async (context) => (await import("./up.ts")).runUp(options, context)));
  const invite = command.command("invite");
  addExamples(invite, {
    "beckon relay invite ci-7 | ssh ci-7 beckon relay join - --yes": "invite ci-7, and make it accept",
    "beckon relay invite --person alice --out alice.json": "write an invitation for a teammate",
    "beckon relay invite ci --count 200 --out invitations": "invite ci-1 to ci-200, with a file for each",
  });
  invite
    .description("invite a machine to send its events to the server, or a person to receive events")
    .argument("[name]", "machine to invite; leave it out to invite a person")
    .option(
      "--person <name>",
      "with NAME, person who gets the machine's events (may be repeated; default: you); without NAME, person to invite",
      collect,
    )
    .option(
      "--expires <time>",
      "time after which the invitation and the access that it gives end, such as 12h or 30d; default: never",
    )
    .option("--out <file>", "write the invitation to a private file; default: standard output")
    .option(
      "--count <number>",
      "invite this many machines, NAME-1 and so on; --out is then a folder",
      wholeNumber(maxCount),
    )
    .option("--json", "print one JSON object: the invitation or, with --out, the paths of the files")
    .action((name: string | undefined, options: InviteOptions) =>
      run(async (context) => (await import("./invite.ts")).runInvite(name, options, context)),
    );
  command
    .command("revoke")
    .description("revoke the access of a machine that sends events, or of the machines that receive a person's events")
    .argument("[name]", "machine whose access is revoked, by the name in its invitation")
    .option(
      "--person <name>",
      "revoke the access of the machines that receive this person's events, not of those that send them",
    )
    .option("--json", "print one JSON object")
    .action((name: string | undefined, options: RevokeOptions) =>
      run(async (context) => (await import("./invite.ts")).runRevoke(name, options, context)),
    );
};

/** Maximum number of machines that one command may invite. */
const maxCount = 2_000;

/** Runs `beckon relay serve --stdio`. */
async function runServe(context: CliContext): Promise<number> {
  requireOwnRoot(context);
  await serve(context.paths, { input: process.stdin, output: process.stdout, clock: createClock() });
  return 0;
}

interface RunOptions extends JsonOption {
  readonly service?: boolean;
}

/** Runs `beckon relay run`: fetches events, or installs the service that does so. */
async function runReceiver({ service, json }: RunOptions, context: CliContext): Promise<number> {
  const { paths, environment } = context;
  requireOwnRoot(context);
  requireSources(await loadConfig(paths.config));
  if (service) return startService(json === true, context);
  const printedLines = new Map<string, string>();
  const stop = new AbortController();
  const signal = AbortSignal.any([context.interruption(), stop.signal]);
  void removeExpiredEachMinute(context, signal);
  const didRun = await runRelay(paths, {
    exec: createExec(environment.env),
    clock: createClock(),
    signal,
    onStatus(status) {
      const line = linkText({ ...status, waiting: 0 });
      if (printedLines.get(status.name) === line || status.state === "connecting") return;
      printedLines.set(status.name, line);
      const { name: host, state, sinceMs, version, problem } = status;
      const change = { host, state, sinceAt: toInstant(sinceMs), ...omitUndefined({ version, problem }) };
      context.print(json ? jsonLine(change satisfies LinkChange) : `${context.colors.bold(status.name)}: ${line}`);
    },
  });
  stop.abort();
  if (didRun) return 0;
  const pid = readRelayStatus(paths, Date.now())?.pid;
  throw new CommandError(
    `beckon relay run is already running${pid === undefined ? "" : ` as process ${pid}`}`,
    "For its connections: beckon relay status",
  );
}

const expiryCheckMs = 60_000;

/** Removes expired users from this machine's server, and prints their names. Does nothing if this machine has no server. */
async function dropExpiredUsers({ paths, printError, now }: CliContext): Promise<void> {
  if (!existsSync(join(paths.relay, "server", "users.json"))) return;
  try {
    const { describeUser, removeExpiredUsers } = await import("../../../relay/server/users.ts");
    for (const user of await removeExpiredUsers(paths, { ...createClock(), now }))
      printError(`The invitation of ${describeUser(user)} has expired.`);
  } catch (error) {
    // Not worth failing the command: commands that need the server report the problem.
    printError(`Cannot check for expired invitations: ${cleanLine(String(error)).slice(0, 200)}`);
  }
}

/** Removes expired users from this machine's server every minute, until the signal aborts. */
async function removeExpiredEachMinute(context: CliContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(expiryCheckMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) await dropExpiredUsers(context);
  }
}
