import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as z from "zod";
import type { RelayAdd as AddedHost } from "../../../../docs/output.d.ts";
import packageFile from "../../../../package.json" with { type: "json" };
import { requireInstalled } from "../../../actions/require-own-root.ts";
import { addRelaySource } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { hostName } from "../../../config/relay-table.ts";
import { own } from "../../../config/written-value.ts";
import { CommandError, UsageError } from "../../../core/errors.ts";
import { parseJson } from "../../../core/json-value.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { writePrivateFile } from "../../../files/atomic-file.ts";
import type { Paths } from "../../../files/paths.ts";
import { readQuietly } from "../../../files/read-file.ts";
import { shellWord } from "../../../installer/agents/command-line.ts";
import { createClock } from "../../../io/clock.ts";
import { createExec } from "../../../io/exec.ts";
import type { JournalLine } from "../../../journal/journal-line.ts";
import { readRelayStatus, relayFiles } from "../../../relay/relay-status.ts";
import { runRelay } from "../../../relay/run-relay.ts";
import { deriveRecipient, newIdentity } from "../../../relay/seal.ts";
import { cleanLine } from "../../../text/clean.ts";
import { compareVersions, oldestNode } from "../../../text/version.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { say } from "../../say.ts";
import { describeOutcome, outcomeTable, watchJournal } from "../install/sample-event.ts";
import { agreesToWrites, type ConsentOptions, describeOthers, sampleTimeoutMs } from "./hand-over-setup.ts";
import type { Invitation } from "./join.ts";
import { readLastError, runRemote } from "./remote.ts";

export interface AddOptions extends ConsentOptions {
  readonly name?: string;
  readonly seal?: boolean;
}

/**
 * Runs `beckon relay add`: sets up the other machine, then this machine, and shows the deliveries of a sample event.
 */
export async function runAdd(via: readonly string[], options: AddOptions, cli: CliContext): Promise<number> {
  const context = options.json ? { ...cli, print: () => {} } : cli;
  const { paths, print, colors } = context;
  requireInstalled(context);
  const remote = await probeRemote(via);
  const host = chooseName(via, remote, options);
  const found = remote.version === undefined ? "no beckon yet" : `beckon ${remote.version}`;
  print(`${colors.bold(host)}: ${[remote.system, found].filter(Boolean).join(", ")}`);
  const isMissing = remote.version === undefined || compareVersions(remote.version, packageFile.version) < 0;
  const source = { via: own([...via]), host: own(host) };
  const there = isMissing ? `beckon ${packageFile.version} with hooks, and a notifier` : "a notifier";
  const only = isMissing ? ` Without a desktop, ${host} then notifies only here.` : "";
  const title = `This installs ${there} on ${host} that keeps its events until this machine fetches them.${only} Changes here:`;
  const write = { file: paths.config, at: "relay.from", value: source };
  if (!(await agreesToWrites(title, [write], options, context))) return 1;
  if (isMissing) {
    print(`${colors.bold(host)}: installing beckon ${packageFile.version} …`);
    await installRemote(via, remote, paths);
    print(`${colors.bold(host)}: installed, with hooks for the agents found there`);
  }
  const seal = options.seal ? await ownRecipient(context) : undefined;
  const { sample, others } = await joinRemote(via, { beckon: 1, via: "stdio", name: host, ...omitUndefined({ seal }) });
  print(
    `${colors.bold(host)}: events are kept there until this machine fetches them${seal ? ", encrypted for it" : ""}`,
  );
  if (others) say(describeOthers(others.map(cleanLine), host, "here"), context);
  const identity = seal ? { identity: own(`\${file:${relayFiles(paths).identity}}`) } : {};
  await editConfig(paths, (text) => addRelaySource(text, paths.config, source, identity));
  const outcomes = await showSample(host, sample, context);
  const output = { host, isInstalled: isMissing, outcomes: outcomes.map(describeOutcome) };
  if (options.json) cli.print(jsonLine(output satisfies AddedHost));
  return outcomes.some(({ status }) => status === "sent") ? 0 : 1;
}

/** Chooses this machine's name for the other machine. @throws {UsageError} for an invalid name */
function chooseName(via: readonly string[], remote: Remote, { name }: AddOptions): string {
  if (name !== undefined) {
    const { error } = hostName.safeParse(name);
    if (error) throw new UsageError(`--name: ${error.issues[0]?.message}`, "See `beckon relay add --help`.");
    return name;
  }
  const addressedName = via.at(-1)?.split("@").at(-1);
  const isName = (word: string | undefined) => word !== via[0] && hostName.safeParse(word).success;
  const found = [addressedName, remote.name].find(isName);
  if (found !== undefined) return found;
  throw new UsageError(`${remote.name} is not a valid name here`, "Choose one: beckon relay add --name NAME -- …");
}

/** Returns the public key for encrypting texts for this machine. Creates the key pair if it is missing. */
async function ownRecipient({ paths }: CliContext): Promise<string[]> {
  const file = relayFiles(paths).identity;
  const known = readQuietly(file)?.trim();
  if (known) return [await deriveRecipient(known)];
  const { identity, recipient } = await newIdentity();
  writePrivateFile(file, `${identity}\n`);
  return [recipient];
}

/**
 * Waits for the deliveries of the sample event. Unless `beckon relay run` is already running, fetches the event in this
 * process.
 */
async function showSample(host: string, sample: string, context: CliContext): Promise<readonly JournalLine[]> {
  const { paths, print, environment } = context;
  const stop = new AbortController();
  let problem: string | undefined;
  const receiver = runRelay(paths, {
    exec: createExec(environment.env),
    clock: createClock(),
    signal: stop.signal,
    onStatus: (status) => {
      if (status.name === host) problem = status.problem;
    },
  });
  const { outcomes } = await watchJournal({ paths, sampleWaitMs: sampleTimeoutMs }, sample);
  stop.abort();
  const wasOurs = await receiver;
  if (outcomes.length === 0) {
    const status = readRelayStatus(paths, Date.now())?.links.find((link) => link.name === host);
    const why = problem ?? status?.problem ?? "it has not arrived yet";
    throw new CommandError(
      `the sample event from ${host} was not delivered: ${why}`,
      "For details: beckon relay status",
    );
  }
  print(`Sample event from ${host}:`);
  for (const line of outcomeTable(outcomes, context)) print(line);
  if (wasOurs) {
    say(
      `${host} is set up. To fetch its events, run \`beckon relay run\`, or \`beckon relay run --service\` to start it at every login.`,
      context,
    );
  }
  return outcomes;
}

const probeTimeoutMs = 60_000;
const installTimeoutMs = 180_000;

/** Prefix of the output lines that the script prints. A login shell may print other lines. */
const linePrefix = "beckon-relay:";

const probeScript = `
echo "${linePrefix}name=$(uname -n)"
echo "${linePrefix}system=$(uname -s)"
v=$(beckon_ --version 2>/dev/null) && echo "${linePrefix}version=$v"
for n in "$(command -v node)" "$("\${SHELL:-sh}" -lc 'command -v node' 2>/dev/null | tail -n 1)" \\
  /usr/local/bin/node /opt/homebrew/bin/node "$HOME"/.volta/bin/node "$HOME"/.nvm/versions/node/*/bin/node \\
  "$HOME"/.local/share/fnm/node-versions/*/installation/bin/node; do
  [ -x "$n" ] && echo "${linePrefix}node=$("$n" -p process.versions.node) $n"
done
exit 0
`;

/**
 * Collects facts about the other machine: its hostname without the domain, its system, the version of beckon that is
 * installed there, and a Node that is new enough for beckon, with its version.
 * @throws {CommandError} if no shell runs there
 */
async function probeRemote(via: readonly string[]) {
  const result = await runRemote(via, probeScript, probeTimeoutMs);
  const facts = result.stdout.split("\n").flatMap((line) => {
    const [, key = "", value = ""] = new RegExp(`${linePrefix}(\\w+)=(.*)`).exec(line) ?? [];
    return key === "" ? [] : [[key, cleanLine(value)] as const];
  });
  const findFact = (name: string): string | undefined => facts.find(([key]) => key === name)?.[1] || undefined;
  const name = findFact("name");
  if (name === undefined) {
    throw new CommandError(
      `cannot run a shell with ${via.join(" ")}: ${readLastError(result)}`,
      "It must work without a password prompt; check with `ssh -o BatchMode=yes HOST true`.",
    );
  }
  const nodes = facts.flatMap(([key, value]) => {
    const [version = "", ...path] = value.split(" ");
    return key === "node" ? [{ version, path: path.join(" ") }] : [];
  });
  return {
    name: name.split(".")[0] ?? name,
    system: findFact("system"),
    version: findFact("version"),
    node: nodes.find(({ version }) => compareVersions(version, oldestNode) >= 0),
  };
}

type Remote = Awaited<ReturnType<typeof probeRemote>>;

/**
 * Installs this version of beckon on the other machine, with hooks for its agents.
 * @throws {CommandError} without a suitable Node, or if the installation fails
 */
export async function installRemote(
  via: readonly string[],
  { node, name }: Pick<Remote, "node" | "name">,
  paths: Paths,
): Promise<void> {
  if (!node) {
    throw new CommandError(
      `${name} has no Node.js ${oldestNode} or newer`,
      "Install it there, then try again. beckon looks in PATH, Homebrew, Volta, nvm and fnm.",
    );
  }
  const archive = (await packApp(paths)).toString("base64").replace(/.{1,1000}/g, "$&\n");
  const decode =
    "let t=''; process.stdin.on('data',(d)=>t+=d).on('end',()=>process.stdout.write(Buffer.from(t,'base64')))";
  const script = `
n=${shellWord(node.path)}
t=$(mktemp -d) || exit 1
"$n" -e "${decode}" <<'BECKON' | tar -xzf - -C "$t"
${archive}BECKON
"$n" "$t/dist/cli.js" install --unattended </dev/null
s=$?
rm -rf "$t"
exit "$s"
`;
  const result = await runRemote(via, script, installTimeoutMs);
  if (result.exitCode === 0) return;
  throw new CommandError(
    `installing beckon on ${name} failed: ${readLastError(result)}`,
    "Install it there yourself, then try again.",
  );
}

/** Packs the installed app into an archive, without type declarations. */
async function packApp({ app }: Paths): Promise<Buffer> {
  const args = ["-czf", "-", "--exclude", "dist/types*", "-C", app, "dist", "templates", "package.json"];
  const options = { encoding: "buffer", maxBuffer: Number.POSITIVE_INFINITY, windowsHide: true } as const;
  const packed = await promisify(execFile)("tar", args, options).catch(() => undefined);
  if (packed) return packed.stdout;
  throw new CommandError(
    `${app} cannot be packed with tar`,
    "Install beckon on the other machine yourself, then try again.",
  );
}

/** Sets up the other machine to send its events. @returns its notifiers and the session id of its sample event */
async function joinRemote(via: readonly string[], invitation: Invitation) {
  const script = `beckon_ relay join --yes --json - <<'BECKON'\n${JSON.stringify(invitation)}\nBECKON\n`;
  const result = await runRemote(via, script, probeTimeoutMs);
  const lines = result.stdout.split("\n").map((line) => joinedLine.safeParse(parseJson(line)).data);
  const joined = lines.findLast((line) => line !== undefined);
  if (result.exitCode === 0 && joined) return joined;
  throw new CommandError(
    `setting up ${invitation.name} failed: ${readLastError(result)}`,
    `beckon may be too old there; this is version ${packageFile.version}.`,
  );
}

/** Line that `relay join --json` prints for a machine, read by the machine that added it. */
const joinedLine = z.object({
  notifier: z.string(),
  /** Absent in the output of older versions. */
  others: z.array(z.string()).optional(),
  sample: z.string(),
});
