/** The agent's answer in most captured sessions. */
export const reviewed = "All done: the file was reviewed.";
const ran = "The command ran.";
const passed = "All done: the tests pass.";
const grokError = "API error (status 400 Bad Request): invalid_request_error: the model is broken";
const runs = "Bash: touch made-by-agent.txt";
const colour = "Which colour should the button have? (Option 1 / Option 2)";
// The é is two characters.
const scripts = "Zażółć gęślą jaźń — 日本語の文章 — Ελληνικά — עברית — 👩‍👩‍👧‍👦🚀 e\u0301 ﷽";
const quotes =
  "Done: \"double\" and 'single' quotes, backticks, $(touch /tmp/pwned) and ${HOME}. bold & " +
  "<script>alert(1)</script> %s %n \\n \\u0041 tab here, bell, escape red, nu…";
const refused = (status: number): string => `API Error: ${status} fake ${status} from the scripted model`;

/**
 * Summary of each captured event, by agent and sample, or by sample if all agents agree; `undefined` for no summary.
 */
export const summaries: Readonly<Record<string, string | undefined>> = {
  Stop: reviewed,
  "Stop-headless": reviewed,
  "Stop-again": reviewed,
  "Stop-after-tool": ran,
  "Stop-long": scripts,
  "Stop-quotes": quotes,
  "Stop-background": "The sub-agent finished.",
  SubagentStop: reviewed,
  // These payloads lack an answer, and their transcripts are elsewhere.
  "copilot/Stop": undefined,
  "copilot/Stop-headless": undefined,
  "copilot/agentStop-own-name": undefined,
  "copilot/ErrorOccurred-bad-request": "the model is broken",
  "copilot/errorOccurred-own-name": "the model is broken",
  "copilot/ErrorOccurred-server-error": "boom",
  "copilot/Notification-permission": "Run command: touch made-by-agent",
  "copilot/Notification-question": "Information requested",
  "auggie/Stop-headless": passed,
  "kimi/Stop": undefined,
  "kimi/Stop-headless": undefined,
  "kimi/PermissionRequest-shell": "Bash: touch made-by-agent",
  "kimi/StopFailure-bad-request": "400 the model is broken",
  "grok/Stop": passed,
  "grok/Stop-headless": passed,
  "grok/Stop-shutdown": undefined,
  "grok/Stop-shutdown-headless": undefined,
  "grok/StopFailure-bad-request": `Turn failed: ${grokError}`,
  "grok/Notification-error": grokError,
  "grok/Notification-permission": "Tool permission requested",
  "grok/Notification-question": "User question requested",
  "grok/Notification-idle": "Waiting for your next prompt",
  "claude/SubagentStop-compact": "Work so far: the file was reviewed.",
  "claude-2.1.197/SubagentStop-compact": scripts,
  "Notification-permission": "Claude needs your permission",
  "Notification-permission-subagent": "Claude needs your permission",
  "claude/Notification-question": "Claude needs your permission",
  "claude-2.1.197/Notification-question": "Claude needs your permission",
  "claude/Notification-agent-needs-input": "Auto mode can't check actions in this session and needs your choice",
  "claude/Notification-idle": "Claude is waiting for your input",
  "claude-2.1.197/Notification-idle": "Claude is waiting for your input",
  "PermissionRequest-shell": runs,
  "PermissionRequest-headless": runs,
  "PermissionRequest-subagent": runs,
  "PermissionRequest-question": colour,
  "qwen-0.15.10/PermissionRequest-question": "Which colour should the button have? (Red / Blue)",
  "PermissionRequest-write": "Write written.txt",
  "StopFailure-authentication": `Please run /login · ${refused(401)}`,
  "StopFailure-bad-request": refused(400),
  "StopFailure-max-output": "API Error: Claude's response exceeded the 128000 output token maximum.",
  "claude-2.1.197/StopFailure-max-output": "API Error: Claude's response exceeded the 64000 output token maximum.",
  "StopFailure-overloaded": `${refused(529)}.`,
  "StopFailure-rate-limit": "API Error: Request rejected (429) · fake 429 from the scripted model",
  "StopFailure-server-error": `${refused(500)}.`,
  notify: reviewed,
  "notify-headless": reviewed,
  "notify-long": scripts,
  "notify-quotes": quotes,
  "notify-subagent": reviewed,
  "notify-title": '{"title":"Sample title"}',
  "notify-title-of-failed-turn": '{"title":"Sample title"}',
  // Droid gives the summary only in its transcript, which is missing in this test.
  ...Object.fromEntries(
    ["", "-headless", "-again", "-after-tool", "-long", "-quotes", "-api-error", "-refused", "-subagent-session"].map(
      (which) => [`droid/Stop${which}`, undefined],
    ),
  ),
  "droid/SubagentStop": undefined,
  "droid/Notification-interrupted": "Agent stopped by user and is waiting for input",
  "droid/Notification-permission": "Factory CLI needs permission to execute 1 tool(s)",
  "droid/Notification-permission-write": "Factory CLI needs permission to execute 1 tool(s)",
  "droid/Notification-permission-subagent": "Factory CLI needs permission to execute 1 tool(s)",
  "droid/Notification-permission-two": "Factory CLI needs permission to execute 2 tool(s)",
  "droid/Notification-question": "Factory CLI is asking the user 1 question(s)",
  AfterAgent: reviewed,
  "AfterAgent-headless": reviewed,
  "AfterAgent-again": reviewed,
  "AfterAgent-after-tool": ran,
  "AfterAgent-long": scripts,
  "AfterAgent-quotes": quotes,
  "AfterAgent-api-error": undefined,
  "AfterAgent-interrupted": undefined,
  "gemini/Notification-permission": "Shell: touch made-by-agent.txt",
  "gemini/Notification-permission-subagent": "Shell: touch made-by-agent.txt",
  "gemini/Notification-permission-two": "Shell: touch made-b.txt",
  "gemini/Notification-permission-write": "Edit written.txt",
  "gemini/Notification-question": "Ask User",
  ...Object.fromEntries(
    ["qwen", "qwen-0.15.10"].flatMap((version) =>
      Object.entries({
        "Notification-auth": "Successfully authenticated with openai",
        "Notification-idle": "Qwen Code is waiting for your input",
        "Notification-interrupted": "Qwen Code is waiting for your input",
        "Notification-permission": "Qwen Code needs your permission to use run_shell_command",
        "Notification-permission-two": "Qwen Code needs your permission to use run_shell_command",
        "Notification-permission-subagent": "Qwen Code needs your permission to use run_shell_command",
        "Notification-permission-write": "Qwen Code needs your permission to use write_file",
        "Notification-question": "Qwen Code needs your permission to use ask_user_question",
        "PermissionRequest-shell": "run_shell_command: touch made-by-agent.txt",
        "PermissionRequest-subagent": "run_shell_command: touch made-by-agent.txt",
        "PermissionRequest-task": "agent: Create an empty marker file",
        "PermissionRequest-write": "write_file written.txt",
        "StopFailure-authentication": `[${refused(401)}]`,
        "StopFailure-bad-request": `[${refused(400)}]`,
        "StopFailure-server-error": `[${refused(500)}]`,
      }).map(([name, summary]) => [`${version}/${name}`, summary]),
    ),
  ),
  "qwen/Notification-permission-subagent": "Qwen Code needs your permission to use agent",
};
