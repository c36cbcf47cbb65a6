import { spawn } from "node:child_process";
import { buffer } from "node:stream/consumers";
import packageFile from "../../../../package.json" with { type: "json" };
import { CommandError } from "../../../core/errors.ts";
import type { Paths } from "../../../files/paths.ts";
import { shellWord } from "../../../installer/agents/command-line.ts";
import { cleanLine } from "../../../text/clean.ts";
import { compareVersions } from "../../../text/version.ts";
import { joinedSchema } from "./join.ts";
import type { Invitation } from "./read-invitation.ts";
import { lastWords, runRemote } from "./remote.ts";

/** What is known of the machine at the other end. */
export interface Remote {
  /** Its own name, without a domain. */
  readonly name: string;
  readonly system: string;
  /** Version of the beckon that is installed there. */
  readonly version?: string;
  /** A Node there that is new enough, and its version. */
  readonly node?: { readonly path: string; readonly version: string };
}

const probeMs = 60_000;
const installMs = 180_000;
/** The oldest Node that beckon runs on. */
const minNode = "20.11";

/** Lines that are ours begin so: a login may print anything else. */
const mark = "beckon-relay:";

const probeScript = `
echo "${mark}name=$(uname -n)"
echo "${mark}system=$(uname -s)"
v=$(beckon_ --version 2>/dev/null) && echo "${mark}version=$v"
for n in "$(command -v node)" "$("\${SHELL:-sh}" -lc 'command -v node' 2>/dev/null | tail -n 1)" \\
  /usr/local/bin/node /opt/homebrew/bin/node "$HOME"/.volta/bin/node "$HOME"/.nvm/versions/node/*/bin/node \\
  "$HOME"/.local/share/fnm/node-versions/*/installation/bin/node; do
  [ -x "$n" ] && echo "${mark}node=$("$n" -p process.versions.node) $n"
done
exit 0
`;

/** Finds out what there is at the other end. @throws {CommandError} where no shell can be run there */
export async function probeRemote(via: readonly string[]): Promise<Remote> {
  const result = await runRemote(via, probeScript, probeMs);
  const facts = result.stdout.split("\n").flatMap((line) => {
    const [, key = "", value = ""] = new RegExp(`${mark}(\\w+)=(.*)`).exec(line) ?? [];
    return key === "" ? [] : [[key, cleanLine(value)] as const];
  });
  const factOf = (name: string): string | undefined => facts.find(([key]) => key === name)?.[1] || undefined;
  const name = factOf("name");
  if (name === undefined) {
    throw new CommandError(
      `no shell answers at the other end of ${via.join(" ")}: ${lastWords(result)}`,
      "It must log in without a question, as `ssh -o BatchMode=yes HOST true` does.",
    );
  }
  const nodes = facts.filter(([key]) => key === "node").map(([, value]) => nodeOf(value));
  const node = nodes.find(({ version }) => compareVersions(version, minNode) >= 0);
  const version = factOf("version");
  return {
    ...{ name: name.split(".")[0] ?? name, system: factOf("system") ?? "" },
    ...(version !== undefined && { version }),
    ...(node && { node }),
  };
}

function nodeOf(text: string): { readonly path: string; readonly version: string } {
  const [version = "", ...path] = text.split(" ");
  return { version, path: path.join(" ") };
}

/**
 * Installs this beckon at the other end, hooks of its agents included.
 * @returns what the installer there said
 * @throws {CommandError} without a Node there, or where it fails
 */
export async function installRemote(via: readonly string[], { node, name }: Remote, paths: Paths): Promise<string> {
  if (!node) {
    throw new CommandError(
      `${name} has no Node.js ${minNode} or newer`,
      "Install it there, then run this again. `beckon relay add` looks in PATH, Homebrew, Volta, nvm and fnm.",
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
  const result = await runRemote(via, script, installMs);
  if (result.exitCode === 0) return result.stdout;
  throw new CommandError(`beckon could not be installed on ${name}: ${lastWords(result)}`, "Install it there by hand.");
}

/** The installed toolkit, as an archive, without the declarations for compilers. */
async function packApp({ app }: Paths): Promise<Buffer> {
  const args = ["-czf", "-", "--exclude", "dist/types*", "-C", app, "dist", "templates", "package.json"];
  const child = spawn("tar", args, { windowsHide: true });
  const ended = new Promise<number | null>((resolve) => child.once("error", () => resolve(1)).once("close", resolve));
  const archive = await buffer(child.stdout);
  if ((await ended) === 0) return archive;
  throw new CommandError(`${app} cannot be packed with tar`, "Install beckon on the other machine by hand.");
}

/** Has the machine at the other end hand its events over. @returns the session of the sample event that it sends */
export async function joinRemote(via: readonly string[], invitation: Invitation): Promise<string> {
  const script = `beckon_ relay join --json - <<'BECKON'\n${JSON.stringify(invitation)}\nBECKON\n`;
  const result = await runRemote(via, script, probeMs);
  const line = result.stdout.split("\n").findLast((one) => one.startsWith("{"));
  const joined = line === undefined ? undefined : joinedSchema.safeParse(JSON.parse(line)).data;
  if (result.exitCode === 0 && joined) return joined.sample;
  throw new CommandError(
    `${invitation.name} could not be set up: ${lastWords(result)}`,
    `The beckon there may be too old: this is ${packageFile.version}.`,
  );
}
