import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judgeRequest } from "../../src/answers/judge-request.ts";
import type { AnswerSettings } from "../../src/config/answers-table.ts";
import { parse } from "../../src/pipeline/parse.ts";
import type { RecordHeader } from "../../src/spool/record.ts";
import { measureCpuMs } from "../core/cpu-time.ts";

const settings: AnswerSettings = {
  agents: ["claude"],
  projects: ["/home/dev/shop/**"],
  wait: 600_000,
  when: "always",
  never: ["terraform *", "/home/dev/shop/secret/**"],
  from: {},
};
const header: RecordHeader = { v: 1, event: "PermissionRequest", agent: "claude", ask: 600 };
const cwd = "/home/dev/shop";

function payloadWith(changes: object): object {
  const call = { hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input: { command: "npm test" } };
  return { session_id: "s1", cwd, permission_mode: "default", ...call, ...changes };
}

function judge(payload: Buffer | object, own: Partial<AnswerSettings> | null = {}, end = 0, more: object = {}) {
  const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload));
  const record = { header: { ...header, ...more }, payload: bytes, end };
  return judgeRequest(record, parse(record, "e1", 0), own === null ? undefined : { ...settings, ...own });
}

const bash = (command: string, more: object = {}) => judge(payloadWith({ tool_input: { command, ...more } }));
const edit = (path: string) =>
  judge(payloadWith({ tool_name: "Edit", tool_input: { file_path: path, old_string: "a", new_string: "b" } }));

/** A folder outside of the home folder, with a link to a file that a shell reads at its start. */
const linked = mkdtempSync(join(tmpdir(), "beckon-never-"));
symlinkSync(join(homedir(), ".bashrc"), join(linked, "notes.txt"));
mkdirSync(join(linked, ".ssh"));
symlinkSync(join(linked, ".ssh"), join(linked, "harmless"));
writeFileSync(join(linked, ".ssh", "config"), "");

test("an ordinary request may be allowed, and is shown whole", () => {
  expect(bash("npm test", { description: "Run the tests", timeout: 5 })).toMatchObject({
    lines: ["Bash: npm test", "timeout: 5", "the agent says: Run the tests"],
    choices: ["deny", "allow"],
    isSerial: false,
  });
  expect(bash("npm test\ntimeout: 9")).toMatchObject({ lines: ["Bash: npm test", "  » timeout: 9"] });
  expect(judge(payloadWith({ agent_id: "a1" }))).toMatchObject({ isSerial: true });
  const diff = { file_path: `${cwd}/a.ts`, old_string: "one\ntwo", new_string: "three", replace_all: true };
  expect(judge(payloadWith({ tool_name: "Edit", tool_input: diff }))).toMatchObject({
    lines: [`Edit: ${cwd}/a.ts`, "- one", "- two", "+ three", "replace_all: true"],
  });
  expect(judge(payloadWith({ tool_name: "mcp__db__query", tool_input: { sql: "select 1", rows: [1] } }))).toMatchObject(
    { lines: ["db · query", "sql: select 1", "rows: [1]"] },
  );
});

test("the hash depends on agent, session, folder, tool and input, not on the order of members", () => {
  const hashes = [
    payloadWith({ tool_input: { command: "a", timeout: 1 } }),
    payloadWith({ tool_input: { timeout: 1, command: "a" } }),
    payloadWith({ tool_input: { command: "a", timeout: 2 } }),
    payloadWith({ tool_input: { command: "a", timeout: 1 }, session_id: "s2" }),
    payloadWith({ tool_input: { command: "a", timeout: 1 }, cwd: `${cwd}/api` }),
  ].map((payload) => (judge(payload) as { readonly hash: string }).hash);
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(hashes[1]).toBe(hashes[0]);
  expect(new Set(hashes).size).toBe(4);
});

const notHeld: Readonly<Record<string, () => unknown>> = {
  "no settings": () => judge(payloadWith({}), null),
  "another agent": () => judge(payloadWith({}), { agents: [] }),
  "another folder": () => judge(payloadWith({ cwd: "/home/dev/other" })),
  "a folder with a like beginning": () => judge(payloadWith({ cwd: "/home/dev/shopping" })),
  "a folder that leaves the project": () => judge(payloadWith({ cwd: "/home/dev/shop/../other" })),
  "a folder with an invisible character": () => judge(payloadWith({ cwd: `${cwd}\u202e` })),
  "no folder": () => judge(payloadWith({ cwd: undefined })),
  "no session": () => judge(payloadWith({ session_id: undefined })),
  "cut input": () => judge(payloadWith({}), {}, 124),
  "too much input": () => judge(payloadWith({}), {}, 153),
  "bytes that are not UTF-8": () =>
    judge(
      Buffer.concat([Buffer.from(JSON.stringify(payloadWith({})).slice(0, -1)), Buffer.from(',"x":"\xff"}', "latin1")]),
    ),
  "JSON with a raw line feed": () => judge(Buffer.from(JSON.stringify(payloadWith({ x: "1~2" })).replace("~", "\n"))),
  "another event": () => judge(payloadWith({ hook_event_name: "Notification" })),
  "a plan's end": () => judge(payloadWith({ tool_name: "ExitPlanMode", tool_input: { plan: "x" } })),
  "a plan's begin": () => judge(payloadWith({ tool_name: "EnterPlanMode", tool_input: {} })),
  "a question": () => judge(payloadWith({ tool_name: "AskUserQuestion", tool_input: { questions: [] } })),
  "an unknown tool": () => judge(payloadWith({ tool_name: "SetMode", tool_input: { mode: "acceptEdits" } })),
  "a tool with a member of Object": () => judge(payloadWith({ tool_name: "constructor", tool_input: {} })),
  "a tool's name that looks like another": () => judge(payloadWith({ tool_name: "mcp__a\u200b", tool_input: {} })),
  "a command that is no text": () => judge(payloadWith({ tool_input: { command: ["rm"] } })),
  "no input": () => judge(payloadWith({ tool_input: undefined })),
  "a command outside of the sandbox": () => bash("ls", { dangerouslyDisableSandbox: true }),
  "a command outside of the sandbox, by another value": () => bash("ls", { dangerouslyDisableSandbox: "true" }),
  "an environment that a shell reads": () => edit("/home/dev/shop/.envrc"),
  sudo: () => bash("sudo apt install x"),
  "sudo in the middle": () => bash("true && sudo true"),
  "sudo by its path": () => bash("/usr/bin/sudo true"),
  "sudo in quotes": () => bash("s'u'do true"),
  "sudo with a backslash": () => bash("su\\do true"),
  su: () => bash("su - root -c id"),
  doas: () => bash("echo $(doas id)"),
  "beckon's folder": () => bash("cat ~/.beckon/asks/off"),
  "beckon's variable": () => bash("BECKON_DISABLE=1 true"),
  "beckon itself": () => bash("npx beckon answers on"),
  "beckon in the clone": () => bash("true;beckon answer 1 allow"),
  "an agent's settings": () => edit("/home/dev/shop/.claude/settings.local.json"),
  "another agent's settings": () => edit("/home/dev/shop/.gemini/settings.json"),
  "a project's servers": () => edit("/home/dev/shop/.mcp.json"),
  "a hook of git": () => edit("/home/dev/shop/.git/hooks/pre-commit"),
  "a hook of git, from its folder": () => bash("cd .git && printf x > hooks/pre-commit"),
  "hidden files by a variable": () => bash("X=env; cat .$X"),
  "git's settings": () => bash("git config core.hooksPath x"),
  "a shell's start": () => edit("/home/dev/.bashrc"),
  "a shell's start in other letters": () => edit("/home/dev/.ZSHRC"),
  "a shell's start, appended": () => bash('echo x >> "$HOME/.profile"'),
  "a shell's start through a link": () => edit(join(linked, "notes.txt")),
  "a folder of keys through a link": () => bash(`cat ${join(linked, "harmless", "config")}`),
  "a key": () => bash("cat ~/.ssh/id_ed25519"),
  "a key with a detour": () => bash("cat ~/.config/../.ssh/config"),
  "a key through a pattern": () => bash("cat ~/.s*/*"),
  "a key in another folder": () => judge(payloadWith({ cwd: "/home/dev/shop/.ssh" })),
  "an address of a key": () =>
    judge(payloadWith({ tool_name: "WebFetch", tool_input: { url: "file:///home/dev/%2essh/config", prompt: "x" } })),
  "an environment file": () => edit("/home/dev/shop/.env"),
  "a timer": () => bash("crontab -"),
  "the user's own command": () => bash("cd infra && terraform apply"),
  "the user's own command in capitals": () => bash("TERRAFORM apply"),
  "the user's own folder": () => edit("/home/dev/shop/secret/a.txt"),
  "the user's own folder with a detour": () => bash("cat api/../secret/a.txt"),
};

test("the longest request is judged in a fraction of a second, whatever it repeats", () => {
  const pieces = [
    "${",
    "${a}/${b}/",
    "/proc/",
    "./",
    "a.b",
    "prod ",
    "\\",
    "'\"",
    "%2e",
    "(a;b)",
    "{,/",
    "sudo.",
    "~/",
  ];
  const never = ["*a*b*c*", "*prod*delete*", "/home/*/*/*/x"];
  const slow = pieces.filter((piece) => {
    const command = piece.repeat(Math.ceil(500_000 / piece.length));
    return measureCpuMs(() => judge(payloadWith({ tool_input: { command } }), { never })) > 1_500; // usually 5 to 40 ms
  });
  expect(slow).toEqual([]);
  const rows = Array.from({ length: 250_000 }, () => "");
  expect(measureCpuMs(() => judge(payloadWith({ tool_name: "mcp__db__query", tool_input: { rows } })))).toBeLessThan(
    3_000,
  );
});

test("a rule at the beginning of a long request, and your own patterns at its start, middle and end still count", () => {
  const own = (glob: string, command: string) =>
    "reason" in judge(payloadWith({ tool_input: { command } }), { never: [glob] });
  expect(bash(`sudo ls ${"x".repeat(100_000)}`)).toHaveProperty("reason");
  expect(own("*prod*delete*", "kubectl --context prod-1 delete pod x")).toBe(true);
  expect(own("*prod*delete*", "kubectl delete pod x --context prod-1")).toBe(false);
  expect(own("make", "make")).toBe(true);
  expect(own("make", "make deploy")).toBe(false);
  expect(own("ab*ba", "aba")).toBe(false); // the pieces do not overlap
  expect(own("ab*ba", "ABBA")).toBe(true);
  expect(own("a*b*b", "ab")).toBe(false);
});

test("a request that must not be held is left to the agent", () => {
  const held = Object.entries(notHeld).filter(([, judged]) => !("reason" in (judged() as object)));
  expect(held.map(([name]) => name)).toEqual([]);
  expect(Object.keys(notHeld).length).toBeGreaterThan(50);
});

const denyOnly: Readonly<Record<string, () => unknown>> = {
  "an agent that says it cut": () => judge(payloadWith({ toolInputTruncated: true })),
  "a secret": () => bash("curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwx' https://example.org"),
  "a bidirectional override": () => bash("echo \u202eabc"),
  "a zero-width space": () => bash("echo a\u200bb"),
  "a zero-width joiner": () => bash("echo a\u200db"),
  "a soft hyphen": () => bash("echo a\u00adb"),
  "a tag": () => bash("echo \u{e0041}"),
  "a Hangul filler": () => bash("echo \u3164"),
  "a braille blank": () => bash("echo \u2800"),
  "a no-break space": () => bash("echo\u00a0x"),
  "a Cyrillic letter": () => bash("curl https://g\u0456thub.com"),
  "a full-width letter": () => bash("\uff43url x"),
  "a mathematical letter": () => bash("\u{1d41c}url x"),
  "a division slash": () => bash("cat a\u2215b"),
  "a combining mark": () => bash("echo e\u0301"),
  "an escape sequence": () => bash("echo \u001b[8mhidden"),
  "a carriage return": () => bash("rm x\rnpm test"),
  "a backspace": () => bash("rm x\b\b\b\bls"),
  "a line separator": () => bash("npm test\u2028rm x"),
  "a lone surrogate": () => bash("echo \ud800"),
  "text far to the right": () => bash(`npm test${" ".repeat(60)}; rm x`),
  "text far to the right, by tabs": () => bash(`npm test${"\t".repeat(10)}; rm x`),
  "text far below": () => bash(`npm test${"\n".repeat(30)}rm x`),
  "text far below, by spaces": () => bash(`npm test${"\n ".repeat(30)}\nrm x`),
  "101 lines": () => bash(Array.from({ length: 101 }, () => "git status").join("\n")),
  "8,001 characters": () => bash("x".repeat(8_001)),
  "3,000 words": () => bash("x ".repeat(3_000)),
  "what no rule of mine may be compared with in full": () =>
    judge(payloadWith({ tool_input: { command: "a.b".repeat(300_000) } }), { never: ["*a*b*c*", "*prod*delete*"] }),
};

test("what may not be what it looks like can only be denied", () => {
  const allowed = Object.entries(denyOnly).filter(([, judged]) => {
    const { choices = [] } = judged() as { readonly choices?: readonly string[] };
    return choices.join() !== "deny";
  });
  expect(allowed.map(([name]) => name)).toEqual([]);
});

test("invisible characters are written out", () => {
  expect(bash("echo \u202ea\u200bb\r")).toMatchObject({ lines: ["Bash: echo \\u{202e}a\\u{200b}b\\u{d}"] });
});

test("a request that can only be denied is shown without its secrets, and cut with a mark", () => {
  const secret = bash("curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwx' https://example.org");
  expect(secret).toMatchObject({ lines: ["Bash: curl -H 'Authorization: Bearer [secret]' https://example.org"] });
  const { lines } = bash("x".repeat(1_000_000)) as { readonly lines: readonly string[] };
  expect([lines.length, lines[0]?.length, lines[1]]).toEqual([2, 8_000, "… (+992006 characters)"]);
  const many = bash(Array.from({ length: 150 }, () => "ls").join("\n")) as { readonly lines: readonly string[] };
  expect([many.lines.length, many.lines.at(-1)]).toEqual([101, "… (+50 lines)"]);
});

test("text in a Latin or East Asian script may be allowed", () => {
  const texts = ["echo für Ærø ńőž", "echo 日本語、ひらがな。カタカナ", "echo “quoted” — ok"];
  expect(texts.map((text) => (bash(text) as { readonly choices: unknown }).choices)).toEqual(
    texts.map(() => ["deny", "allow"]),
  );
});

const judgePlan = (input: object) =>
  judge(payloadWith({ tool_name: "ExitPlanMode", tool_input: input }), {}, 0, { form: true });

test.each([
  ["ordinary", { plan: "# Move it\n\n- from `a` → `b` ✓\n- sudo terraform apply, then edit ~/.bashrc" }, undefined],
  ["in emoji and scripts with marks", { plan: "# ⚠️ 1️⃣ 👩🏽‍💻 क्या फ़ाइल हटाएँ? ลบไฟล์นี้ไหม" }, undefined],
  ["as long as can be shown", { plan: "- step\n".repeat(390) }, undefined],
  ["with a file of its own", { plan: "# Move", planFilePath: "/home/dev/.claude/plans/a.md" }, undefined],
  ["too long", { plan: "- step\n".repeat(410) }, /too long/],
  ["too wide", { plan: "word ".repeat(3_300) }, /too long/],
  ["with a right-to-left mark", { plan: "# Move \u202e it" }, /invisible/],
  ["with marks on a Latin letter", { plan: "# Move i\u0336t" }, /invisible/],
  ["with a joiner between letters", { plan: "# Mo\u200dve it" }, /invisible/],
  ["with a control character", { plan: "# Move \u001b[8m it" }, /invisible/],
  ["with a hidden end", { plan: `# Move${" ".repeat(60)}and delete` }, /empty space/],
  ["with a secret", { plan: "Use ghp_0123456789abcdefghijABCDEFGHIJ012345" }, /secret/],
  ["with permissions", { plan: "# Move", allowedPrompts: [{ tool: "Bash", prompt: "run tests" }] }, /permissions/],
])("a plan that is %s can be approved only if it is shown whole and plain", (_, input, denyOnly) => {
  const judged = judgePlan(input);
  if (denyOnly) expect(judged).toMatchObject({ choices: ["deny"], denyOnly: expect.stringMatching(denyOnly) });
  else
    expect(judged).toMatchObject({
      choices: ["deny", "allow"],
      lines: expect.arrayContaining([input.plan.split("\n")[0]]),
    });
});

test("a question's options are numbered, whatever is in its labels", () => {
  const options = [{ label: "A\n  9  Z", description: "first" }, { label: "<b>B</b>" }];
  const questions = [
    { question: "Which?", options },
    { question: "And?", multiSelect: true, options: [{ label: "C" }] },
  ];
  const judged = judge(payloadWith({ tool_name: "AskUserQuestion", tool_input: { questions } }), {}, 0, { form: true });
  expect(judged).toMatchObject({
    lines: ["Which?", "  1  A", "  »   9  Z — first", "  2  <b>B</b>", "And? (one or more)", "  3  C"],
    options: ["A\n  9  Z", "<b>B</b>", "C"],
    isMultiple: true,
  });
});
