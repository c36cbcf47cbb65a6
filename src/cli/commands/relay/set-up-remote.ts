import { spawn } from "node:child_process";
import { buffer } from "node:stream/consumers";
import packageFile from "../../../../package.json" with { type: "json" };
import { CommandError } from "../../../core/errors.ts";
import type { Paths } from "../../../files/paths.ts";
import { shellWord } from "../../../installer/agents/command-line.ts";
import { cleanLine } from "../../../text/clean.ts";
import { compareVersions, oldestNode } from "../../../text/version.ts";
import { type Joined, joinedLine } from "../../output/relay-outputs.ts";
import type { Invitation } from "./read-invitation.ts";
import { readLastError, runRemote } from "./remote.ts";

/** Facts about the other machine. */
export interface Remote {
  /** Hostname, without the domain. */
  readonly name: string;
  readonly system: string;
  /** Version of beckon that is installed on the other machine. */
  readonly version?: string;
  /** Node that is new enough for beckon, and its version. */
  readonly node?: { readonly path: string; readonly version: string };
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

/** Collects facts about the other machine. @throws {CommandError} if no shell runs there */
export async function probeRemote(via: readonly string[]): Promise<Remote> {
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
  const nodes = facts.filter(([key]) => key === "node").map(([, value]) => parseNode(value));
  const node = nodes.find(({ version }) => compareVersions(version, oldestNode) >= 0);
  const version = findFact("version");
  return {
    ...{ name: name.split(".")[0] ?? name, system: findFact("system") ?? "" },
    ...(version !== undefined && { version }),
    ...(node && { node }),
  };
}

function parseNode(text: string): { readonly path: string; readonly version: string } {
  const [version = "", ...path] = text.split(" ");
  return { version, path: path.join(" ") };
}

/**
 * Installs this version of beckon on the other machine, with hooks for its agents.
 * @returns the installer's output
 * @throws {CommandError} without a suitable Node, or if the installation fails
 */
export async function installRemote(via: readonly string[], { node, name }: Remote, paths: Paths): Promise<string> {
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
  if (result.exitCode === 0) return result.stdout;
  throw new CommandError(
    `installing beckon on ${name} failed: ${readLastError(result)}`,
    "Install it there yourself, then try again.",
  );
}

/** Packs the installed app into an archive, without type declarations. */
async function packApp({ app }: Paths): Promise<Buffer> {
  const args = ["-czf", "-", "--exclude", "dist/types*", "-C", app, "dist", "templates", "package.json"];
  const child = spawn("tar", args, { windowsHide: true });
  const ended = new Promise<number | null>((resolve) => child.once("error", () => resolve(1)).once("close", resolve));
  const archive = await buffer(child.stdout);
  if ((await ended) === 0) return archive;
  throw new CommandError(
    `${app} cannot be packed with tar`,
    "Install beckon on the other machine yourself, then try again.",
  );
}

/** Sets up the other machine to send its events. @returns its notifiers and the session id of its sample event */
export async function joinRemote(via: readonly string[], invitation: Invitation): Promise<Joined> {
  const script = `beckon_ relay join --json - <<'BECKON'\n${JSON.stringify(invitation)}\nBECKON\n`;
  const result = await runRemote(via, script, probeTimeoutMs);
  const line = result.stdout.split("\n").findLast((text) => text.startsWith("{"));
  const joined = line === undefined ? undefined : joinedLine.safeParse(JSON.parse(line)).data;
  if (result.exitCode === 0 && joined) return joined;
  throw new CommandError(
    `setting up ${invitation.name} failed: ${readLastError(result)}`,
    `beckon may be too old there; this is version ${packageFile.version}.`,
  );
}
