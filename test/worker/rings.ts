/** What a person should be told in a recorded session. */
export interface Expected {
  /** In order: `N` needs-you, `F` failed, `D` finished; empty: nothing. Of several wordings any will do. */
  readonly rings: readonly string[];
  /** What the text of each ring must hold, by its letter. */
  readonly says?: Readonly<Partial<Record<"N" | "F" | "D", RegExp>>>;
  /** Why it is not so yet; the test fails once it is. */
  readonly known?: string;
}

const marker = /touch made-by-agent\.txt/;
const colour = /Which colour should the button have\?/;
const closing = /Which one do you want\?/;
const noJson = (words: string) => new RegExp(`^[^{}]*${words}[^{}]*$`);

/** By recording, in `test/fixtures/recordings/`. */
export const expectedRings: Readonly<Record<string, Expected>> = {
  "claude/z-tr": { rings: ["N"], says: { N: marker }, known: "the permission does not name tool and target" },
  "droid/z-tr": { rings: ["N"], says: { N: marker }, known: "the permission does not name tool and target" },
  "claude/z-trask": { rings: ["N"], says: { N: colour }, known: "the permission does not name tool and target" },
  "droid/z-trask": { rings: ["N"], says: { N: colour }, known: "the permission does not name tool and target" },
  "gemini/z-trask": {
    rings: ["N"],
    says: { N: colour },
    known: "neither payload nor transcript has the question when the hook runs",
  },
  "qwen/z-trask": { rings: ["N"], says: { N: colour }, known: "an idle prompt is never news" },
  "claude/i-bg": { rings: ["N"], known: "two notifications of one request" },
  "claude/x-bgshell": { rings: ["D"] },
  "qwen/x-bgshell": { rings: ["ND"], says: { N: /sleep 20/ }, known: "done while a command runs in the background" },
  "kimi/x-bgshell": {
    rings: ["ND"],
    says: { N: /sleep 20/, D: /The build runs/ },
    known: "done while a command runs in the background",
  },
  "copilot/x-bgshell": { rings: ["ND"], says: { N: /sleep 20/ }, known: "done while a command runs in the background" },
  "grok/x-bgshell": { rings: ["D"], known: "done while a command runs in the background" },
  "droid/x-bgshell": { rings: ["ND"], says: { N: /sleep 20/ }, known: "an ordinary end" },
  "droid/i-bg": { rings: ["D"], known: "done while a sub-agent runs, or for its own end" },
  "claude/x-question": { rings: ["D"], says: { D: closing } },
  "droid/x-question": { rings: ["D"], says: { D: closing } },
  "gemini/x-question": { rings: ["D"], says: { D: closing } },
  "qwen/x-question": { rings: ["D"], says: { D: closing } },
  "claude/x-empty": { rings: ["", "D"] },
  "droid/x-empty": { rings: ["", "D"], known: "an empty answer is no failure" },
  "claude/p-int": { rings: [""], known: "an ordinary end" },
  "claude/p-400": { rings: ["F"], says: { F: noJson("fake 400") }, known: "the failure is not told, or not in words" },
  "gemini/p-400": { rings: ["F"], says: { F: noJson("answer") }, known: "the failure is not told, or not in words" },
  "codex/p-400": { rings: ["F"], says: { F: noJson("fake 400") }, known: "the failure is not told, or not in words" },
  "codex/p-500": {
    rings: ["F"],
    says: { F: noJson("high demand") },
    known: "the failure is not told, or not in words",
  },
  "gemini/i-400": { rings: ["F"], says: { F: noJson("error") } },
  "codex/i-400": { rings: ["", "F"] },
  "codex/i-500": { rings: ["", "F"] },
  "codex/i-shell-yes": { rings: ["ND"], says: { N: marker, D: /The command ran\./ } },
  "kimi/i-shell-yes": {
    rings: ["ND"],
    says: { N: marker, D: /The command ran\./ },
    known: "the transcript is read too early",
  },
  "grok/i-shell-yes": { rings: ["D"], says: { D: /The command ran\./ } },
  "copilot/i-ask": { rings: ["ND"], says: { N: /look around/ }, known: "the permission does not name tool and target" },
  "copilot/i-task": {
    rings: ["D"],
    says: { D: /The sub-agent finished\./ },
    known: "done while a sub-agent runs, or for its own end",
  },
  "grok/i-task": {
    rings: ["ND"],
    says: { N: /look around|marker file/ },
    known: "the permission does not name tool and target",
  },
  "copilot/x-flaky": {
    rings: ["D"],
    says: { D: /Recovered and done\./ },
    known: "an attempt that the agent repeats, or a sub-agent's",
  },
  "grok/x-flaky": { rings: ["D"], says: { D: /Recovered and done\./ } },
  "copilot/x-taskerr": {
    rings: ["D"],
    says: { D: /The sub-agent failed\./ },
    known: "an attempt that the agent repeats, or a sub-agent's",
  },
  "droid/i-idle": { rings: ["D"], known: "an ordinary end" },
  "droid/i-shell-no": { rings: ["N"], says: { N: marker }, known: "a refusal" },
  "kimi/i-shell-no": { rings: ["N"], says: { N: marker }, known: "a refusal" },
  "qwen/i-shell-no": { rings: ["N"], says: { N: marker }, known: "an idle prompt is never news" },
  "gemini/z-esc": { rings: [""], known: "the person pressed Esc" },
  "qwen/i-esc": { rings: [""], known: "an idle prompt is never news" },
  "qwen/i-clear": { rings: ["D"], known: "an idle prompt is never news" },
  "qwen/i-taskshell": {
    rings: ["NND"],
    says: { N: /marker file|touch made-by-agent/ },
    known: "an idle prompt is never news",
  },
  "grok/i-taskshell": { rings: ["ND"], known: "done while a sub-agent runs, or for its own end" },
};
