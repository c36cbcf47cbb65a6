/** Expected rings of a recorded session. */
export interface Expected {
  /**
   * Rings in order: `N` needs-you, `F` failed, `D` finished; an empty text means no rings. Each of several texts is
   * accepted.
   */
  readonly rings: readonly string[];
  /** Pattern that the text of each ring must match, by letter. */
  readonly says?: Readonly<Partial<Record<"N" | "F" | "D", RegExp>>>;
  /** Reason for a known failure. The test fails once the failure is gone. */
  readonly known?: string;
}

const marker = /touch made-by-agent\.txt/;
const colour = /Which colour should the button have\?/;
const closing = /Which one do you want\?/;
const noJson = (words: string) => new RegExp(`^[^{}]*${words}[^{}]*$`);

/** Expected rings by recording in `test/fixtures/recordings/`. */
export const expectedRings: Readonly<Record<string, Expected>> = {
  "claude/z-tr": { rings: ["N"], says: { N: marker } },
  "droid/z-tr": { rings: ["N"], says: { N: marker } },
  "claude/z-trask": { rings: ["N"], says: { N: colour } },
  "droid/z-trask": { rings: ["N"], says: { N: colour } },
  "gemini/z-trask": {
    rings: ["N"],
    says: { N: colour },
    known: "neither payload nor transcript has the question when the hook runs",
  },
  "qwen/z-trask": { rings: ["N"], says: { N: colour } },
  "claude/i-bg": { rings: ["N"] },
  "claude/x-bgshell": { rings: ["D"] },
  "qwen/x-bgshell": { rings: ["ND"], says: { N: /sleep 20/ } },
  "kimi/x-bgshell": { rings: ["ND"], says: { N: /sleep 20/, D: /The build runs/ } },
  "copilot/x-bgshell": { rings: ["ND"], says: { N: /sleep 20/ } },
  "kimi/sub-agent": { rings: ["D"], says: { D: /The sub-agent finished\./ } },
  "grok/x-bgshell": { rings: ["D"] },
  "droid/x-bgshell": { rings: ["ND"], says: { N: /sleep 20/ } },
  "droid/i-bg": { rings: ["D"], says: { D: /Still running: .*Create an empty marker file/ } },
  "claude/x-question": { rings: ["D"], says: { D: closing } },
  "droid/x-question": { rings: ["D"], says: { D: closing } },
  "gemini/x-question": { rings: ["D"], says: { D: closing } },
  "qwen/x-question": { rings: ["D"], says: { D: closing } },
  "claude/x-elicit": { rings: ["NN"], says: { N: /tracker/ } },
  "claude/x-empty": { rings: ["", "D"] },
  "droid/x-empty": { rings: ["", "D"] },
  "claude/p-int": { rings: [""] },
  "claude/p-400": { rings: ["F"], says: { F: noJson("fake 400") } },
  "gemini/p-400": { rings: ["F"], says: { F: noJson("answer") } },
  "codex/p-400": { rings: ["F"], says: { F: noJson("fake 400") } },
  "codex/p-500": { rings: ["F"], says: { F: noJson("high demand") } },
  "gemini/i-400": { rings: ["F"], says: { F: noJson("gave no answer") } },
  "codex/i-400": { rings: ["", "F"] },
  "codex/i-500": { rings: ["", "F"] },
  "codex/i-shell-yes": { rings: ["ND"], says: { N: marker, D: /The command ran\./ } },
  "kimi/i-shell-yes": { rings: ["ND"], says: { N: marker, D: /The command ran\./ } },
  "grok/i-shell-yes": { rings: ["D"], says: { D: /The command ran\./ } },
  "copilot/i-ask": { rings: ["ND"], says: { N: /look around/ } },
  "copilot/i-task": { rings: ["D"], says: { D: /The sub-agent finished\./ } },
  "grok/i-task": { rings: ["ND"], says: { N: /look around|marker file/ } },
  "copilot/x-flaky": { rings: ["D"], says: { D: /Recovered and done\./ } },
  "grok/x-flaky": { rings: ["D"], says: { D: /Recovered and done\./ } },
  "copilot/x-taskerr": { rings: ["D"], says: { D: /The sub-agent failed\./ } },
  "droid/i-idle": { rings: ["D"] },
  "droid/i-shell-no": { rings: ["N"], says: { N: marker } },
  "kimi/i-shell-no": { rings: ["N"], says: { N: marker } },
  "qwen/i-shell-no": { rings: ["N"], says: { N: marker } },
  "gemini/z-esc": { rings: [""] },
  "qwen/i-esc": { rings: [""] },
  "qwen/i-clear": { rings: ["D"] },
  "qwen/i-taskshell": { rings: ["ND"], says: { N: /marker file|touch made-by-agent/ } },
  "grok/i-taskshell": { rings: ["ND"] },
  "grok/sub-agent-refused": { rings: ["ND"], says: { N: /spawn_subagent/, D: /The sub-agent failed\./ } },
  "grok/sub-agent-permission": { rings: ["NND"], says: { N: /spawn_subagent: |rm -rf made-by-agent\.txt/ } },
  "grok/sub-agent-background": { rings: ["ND"], says: { D: /The sub-agent is on its way\./ } },
  "droid/plan-no": { rings: ["N"], says: { N: /Plan: Rename the button/ } },
  "qwen/plan-no": { rings: ["N"], says: { N: /Plan: Rename the button/ } },
  "copilot/question-no": { rings: ["N"], says: { N: colour } },
  "grok/question-no": { rings: ["N"], says: { N: colour } },
  "kimi/question-no": { rings: [""] },
  "qwen/background-shell": { rings: ["ND"], says: { N: /sleep 15/ } },
  "grok/question": { rings: ["ND"], says: { N: colour } },
  "gemini/headless-broken": { rings: ["F"], says: { F: noJson("gave no answer") } },
  "copilot/headless-permission": { rings: ["D"], says: { D: /The command ran\./ } },
};
