import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { createClock } from "../../../io/clock.ts";
import { serve } from "../../../relay/serve.ts";
import type { CliContext, RegisterCommand, RunCommand } from "../../context.ts";
import { type AddOptions, runAdd } from "./add.ts";
import { endExpired } from "./expiry.ts";
import { runHosts } from "./hosts.ts";
import type { InviteOptions } from "./invite.ts";
import { runJoin } from "./join.ts";
import type { JoinOptions } from "./join-server.ts";
import { type LeaveOptions, runLeave } from "./leave.ts";
import type { RevokeOptions } from "./revoke.ts";
import { type RunOptions, runReceiver } from "./run.ts";
import { runStatus } from "./status.ts";
import type { UpOptions } from "./up-options.ts";

interface JsonOption {
  readonly json?: boolean;
}

/** `beckon relay`: agents on other machines call the person here. */
export const registerRelay: RegisterCommand = (command, runAlone) => {
  const run: RunCommand = (code) =>
    runAlone(async (context) => {
      await endExpired(context);
      return code(context);
    });
  registerMachines(command, run);
  registerServer(command, run);
  command
    .command("serve")
    .description("the other end of `relay run`, which starts it: sends what waits here")
    .requiredOption("--stdio", "over standard input and output")
    .action(() => runAlone((context) => runServe(context)));
};

/** What every machine has a use for. */
const registerMachines: RegisterCommand = (command, run) => {
  command
    .command("add")
    .description("set up another machine so that its agents call you here: `beckon relay add -- ssh devbox`")
    .argument("<command...>", "a command that gives standard input and output there: ssh HOST, docker exec -i BOX")
    .option("--name <host>", "what it is called here; default: the last word of the command, else its own name")
    .option("--seal", "have its texts sealed for this machine, with age")
    .option("--yes", "do not ask")
    .action((via: readonly string[], options: AddOptions) => run((context) => runAdd(via, options, context)));
  command
    .command("run")
    .description("fetch what the agents of other machines have to say, until Ctrl-C")
    .option("--service", "do it from every login on: write a user service and start it (systemd, launchd)")
    .action((options: RunOptions) => run((context) => runReceiver(options, context)));
  command
    .command("status")
    .description("show whether events are fetched, and what waits to be fetched")
    .option("--json", "print one JSON object")
    .action((options: JsonOption) => run((context) => runStatus(options, context)));
  command
    .command("hosts")
    .description("show the machines whose agents call you here")
    .option("--json", "print one JSON object a line")
    .action((options: JsonOption) => run((context) => runHosts(options, context)));
  command
    .command("join")
    .description("do what an invitation says: hand events over, or fetch a person's")
    .argument("<file>", "the invitation; - for standard input")
    .option("--yes", "do not ask")
    .option("--json", "print one JSON object, and do not ask")
    .action((file: string, options: JoinOptions) => run((context) => runJoin(file, options, context)));
  command
    .command("leave")
    .description("stop: for a machine that is fetched from, or, without a name, handing over this one's events")
    .argument("[host]", "its name here")
    .option("--yes", "delete what waits to be fetched")
    .action((host: string | undefined, options: LeaveOptions) => run((context) => runLeave(host, options, context)));
};

/** A server between machines; its code is loaded here. */
const registerServer: RegisterCommand = (command, run) => {
  command
    .command("up")
    .description("write what a server of NATS needs that keeps the events of many machines; nothing is started")
    .option("--listen <host:port>", "where it listens; default: 0.0.0.0:4222")
    .option("--name <name>", "how other machines reach it, may be repeated; default: this machine's name", collect)
    .option(
      "--cluster <names>",
      "three or five servers instead of one, each event on three: a.example,b.example,c.example",
    )
    .option("--team <name>", "who shares it; default: team")
    .option("--person <name>", "whom machines call, and who fetches here; default: your user name")
    .action((options: UpOptions) => run(async (context) => (await import("./up.ts")).runUp(options, context)));
  command
    .command("invite")
    .description("let a machine in: `beckon relay invite ci-7 | ssh ci-7 beckon relay join -`")
    .argument("[name]", "what the machine with agents is called; without it, a person's own machine is invited")
    .option("--person <name>", "whom its agents call, may be repeated; without NAME, whose machine it is", collect)
    .option(
      "--expires <time>",
      "how long the invitation and what it lets in are good: 12h, 30d; default: until revoked",
    )
    .option("--out <file>", "write it there, for nobody else to read; default: standard output")
    .action((name: string | undefined, options: InviteOptions) =>
      run(async (context) => (await import("./invite.ts")).runInvite(name, options, context)),
    );
  command
    .command("revoke")
    .description("let a machine in no more, or a person's machines")
    .argument("[name]", "the machine, as it was invited")
    .option("--person <name>", "all machines of that person's own")
    .action((name: string | undefined, options: RevokeOptions) =>
      run(async (context) => (await import("./revoke.ts")).runRevoke(name, options, context)),
    );
};

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** Runs `beckon relay serve --stdio`. */
async function runServe(context: CliContext): Promise<number> {
  requireOwnRoot(context);
  await serve(context.paths, { input: process.stdin, output: process.stdout, clock: createClock() });
  return 0;
}
