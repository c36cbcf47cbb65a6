import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeRequest } from "../../src/answers/judge-request.ts";
import { describeEvent } from "../../src/attention/sessions.ts";
import { parseJson, toObject } from "../../src/core/json-value.ts";
import { parse } from "../../src/pipeline/parse.ts";
import type { RecordHeader } from "../../src/spool/record.ts";
import { oneLine, showHidden } from "../../src/text/clean.ts";
import { mask } from "../../src/text/mask/mask.ts";
import { describeRequests } from "../../src/text/request.ts";
import { AttentionWorld } from "../world/attention-world.ts";
import { readAllJournal } from "../world/home.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures");

function findCommands(value: unknown): string[] {
  const { command, cmd, ...others } = toObject(value);
  return [...[command, cmd].filter((text) => typeof text === "string"), ...Object.values(others).flatMap(findCommands)];
}

const recorded = ["payloads", "documented-payloads", "recordings", "transcripts", "plugin-events"].flatMap((folder) =>
  readdirSync(join(fixtures, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.jsonl?$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(join(fixtures, folder, name), "utf8");
      // A damaged line is a fixture too.
      return (name.endsWith("l") ? text.split("\n") : [text]).flatMap((json) => findCommands(parseJson(json)));
    }),
);
const hostile = [
  "# just a harmless comment\nterraform destroy -auto-approve",
  "rm -rf ./*/_build_/* && echo `date` **bold** > a_b_c # x",
  "select count(*) from a; select count(*) from b",
  "cat > x.html <<E\n<script>alert(1)</script>\nE",
  "echo '⏎' ⏎ rm",
];
const marks = [..."*_~`#<>|⏎'\"\\\n\t", "  ", "\r", "\u001b[2K", "\u0007"];
const generated = fc
  .array(
    fc.oneof(fc.constantFrom(...marks, "<b>", "**x**", "\u202e", "\u200b", "é", "改"), fc.string({ maxLength: 8 })),
  )
  .map((parts) => parts.join(""))
  .filter((command) => command.trim() !== "" && mask(command) === command);

const header: RecordHeader = { v: 1, event: "PermissionRequest", agent: "claude", ask: 600 };
const settings = { agents: ["claude"], projects: ["/**"], wait: 1, when: "always", never: [], from: {} } as const;

/** Reads a request back from its one-line form. */
const readLine = (line: string) => line.replaceAll(" ⏎ ", "\n").replaceAll("\\u{23ce}", "⏎").replaceAll("\\u{9}", "\t");

function check(command: string): void {
  const call = { hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input: { command } };
  const payload = Buffer.from(JSON.stringify({ session_id: "s", cwd: "/shop", ...call }));
  const record = { header, payload, end: 0 };
  const event = parse(record, "e1", 0);
  const shown = showHidden(`Bash: ${command}`).trimEnd();
  expect(event.message).toBe(shown);
  expect(describeEvent(event, {}, event.message)).toBe(mask(shown));
  const line = oneLine(shown);
  expect(line).not.toMatch(/[\n\t]/);
  if (!/\\u\{(?:23ce|9)\}/.test(command)) expect(readLine(line)).toBe(shown);
  const card = judgeRequest(record, event, { ...settings, agents: ["claude"], projects: ["/**"], never: [] });
  if (!("lines" in card)) return void expect(card.reason).toMatch(/^only answered in the agent/);
  const onCard = card.lines.join("\n").replaceAll("\n  » ", "\n").replaceAll("\\u{d}\n", "\n");
  expect(onCard.trimEnd().slice(0, 7_000)).toBe(mask(shown).slice(0, 7_000));
}

test("every recorded command is shown, journalled and put on the answer card to the letter", () => {
  expect(recorded.length).toBeGreaterThan(50);
  for (const command of new Set([...hostile, ...recorded])) check(command);
});

test("any command is shown, journalled and put on the answer card to the letter", () => {
  fc.assert(fc.property(generated, check), { numRuns: 2_000, seed: 55 });
});

test("the journal has a request's text to the letter, up to 4,000 characters, with secrets masked", async () => {
  const world = new AttentionWorld();
  await world.start({ routes: [{ kinds: ["needs-you"], to: ["desk"] }] });
  const long = `echo ${"line\n".repeat(1_200)}`;
  const secret = "curl -H 'Authorization: Bearer abcdefghijklmnop0123456789'\nrm x";
  const commands = [...hostile, secret, long];
  for (const [index, command] of commands.entries()) {
    const session = { agent: "claude", id: `s${index}`, pid: 4_100_000 + index * 10 };
    world.fire(session, "PermissionRequest", { tool_name: "Bash", tool_input: { command } });
  }
  await world.workUntil(world.nowMs + 1_000);
  const summaries = readAllJournal(join(world.root, "journal")).flatMap(({ summary }) => summary ?? []);
  const masked = "Bash: curl -H 'Authorization: Bearer [secret]'\nrm x";
  const cut = summaries.find((summary) => summary.startsWith("Bash: echo line"));
  expect([...summaries].sort()).toEqual([...hostile.map((command) => `Bash: ${command}`), masked, cut].sort());
  expect(cut).toMatch(/^Bash: echo line\nline\n[\s\S]*… \(\+\d{3} lines\)$/);
  expect(cut?.length).toBeLessThanOrEqual(4_000);
});

test("no half of a secret is left where a long request or answer is cut", () => {
  const secret = `postgres://app:${"Kx7vQ9mPz2Lw".repeat(8)}@db`;
  const call = { tool: "Bash", main: `echo ${"-".repeat(7_940)} ${secret} ${"z".repeat(500)}` };
  expect(describeRequests([call]).message).toMatch(/postgres:\/\/app:\[secret\]@db /);
  const key = `-----BEGIN PRIVATE KEY-----\\n${"Kx7vQ9mPz2Lw".repeat(400)}\\n-----END PRIVATE KEY-----`;
  const event = parse({ header, payload: Buffer.from("{}"), end: 0 }, "e1", 0);
  const lastMessage = `I have changed the settings.\n\n${"- a line\n".repeat(500)}\nThe key is ${key} now. Keep it?`;
  expect(describeEvent(event, { lastMessage })).toBe("I have changed the settings. Keep it?");
});

test("the journal has the question that ends an answer of any length", () => {
  const lastMessage = `The login works.\n\n${"- one of many changes\n".repeat(1_000)}\n**Push it?**`;
  const event = parse({ header, payload: Buffer.from(JSON.stringify({ hook_event_name: "Stop" })), end: 0 }, "e1", 0);
  expect(describeEvent(event, { lastMessage })).toBe("The login works. Push it?");
});
