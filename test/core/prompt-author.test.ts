import { expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import { parsed } from "../world/parsed.ts";

/** Openings of prompts from agents, their hooks and other programs. */
const programs = [
  '<agent-message from="reviewer">the review is ready</agent-message>',
  '<teammate-message teammate_id="ops">deployed</teammate-message>',
  "<task-notification>\n<task-id>1</task-id></task-notification>",
  "<system-reminder>scheduled wake-up fired</system-reminder>",
  "\n  <system_notification>\nShell command finished",
  "<hook_prompt hook=1>tests are red</hook_prompt>",
  "<cron-run id=c1>check the deploy</cron-run>",
  "<wake_up/>",
  "<subagent:result>done</subagent:result>",
  "Stop hook feedback:\n[gate]: tests are red",
  'SubagentStop hook blocking error from command "x": no',
  "# Task Tool Invocation\n\nSubagent type: worker",
  "Background task completed.\ntask_id: 7",
  "[SYSTEM NOTIFICATION - NOT USER INPUT]\nThe build is done",
  "[Request interrupted by user]",
  "This session is being continued from a previous conversation that ran out of context.",
  "Another Claude session sent a message: look at main.ts",
  "Scheduled wake-up fired",
  "[task-notification] the build is done",
  "[task 7 completed]",
  "<task>check the deploy</task>",
  "<TASK-NOTIFICATION>done</TASK-NOTIFICATION>",
  "<foo-event>done</foo-event>",
  "<foo-event id='1'/>\n",
  "",
  "  \n",
];

/** Openings of a user's prompts. */
const persons = [
  "go on",
  "what does <task-notification> mean?",
  '<div class="card">why is this not centred?</div>',
  "<svg viewBox='0 0 1 1'><path/></svg>",
  "<p>hello</p>",
  "<clipPath id=a>",
  "<!DOCTYPE html>",
  "<?xml version='1.0'?><note/>",
  "<3 that works",
  "< 5 files, please",
  "<bash-input>ls</bash-input>",
  "<command-message>review</command-message>\n<command-name>/review</command-name>",
  '<channel source="telegram">yes, go on</channel>',
  "<ide_selection>line 3</ide_selection> explain this",
  "Stop the server",
  "The stop hook feedback is wrong",
  "[x] done, next one",
  "[TASK-42] fix the login",
  "[SYSTEM-7, TASK-8] fix both",
  "[HOOK-3: retries] fix it",
  "[Task #42] fix it",
  "[cron-12] is late",
  "[Task] build it",
  "[Task 7] build it",
  "[hook]: run it twice",
  "[Background] make it blue",
  "git hook error: husky is missing",
  "A teammate says the login is slow. Is it?",
  "<my-button> is not centred",
  "<my-button>Go</my-button> is not centred",
  "<Modal> does not close",
  "<Task> has no title",
  "<TaskList.Item key={1}/> is broken",
  "<foo> is not closed",
  "background tasks should be listed",
  "/clear",
];

const promptEvents = agents.flatMap(({ name, nativeEvents }) =>
  Object.entries(nativeEvents).flatMap(([event, meaning]) => (meaning.event === "Prompt" ? [[name, event]] : [])),
);

test("only a user's prompt counts as an answer, unlike agents' reports, reminders and messages", () => {
  const isSkipped = (agent = "", event = "", prompt: unknown) =>
    parsed({ session_id: "s", hook_event_name: event, prompt }, { agent, event }).skip !== undefined;
  const wrong = promptEvents.flatMap(([agent, event]) => [
    ...programs.filter((text) => !isSkipped(agent, event, text)),
    ...persons.filter((text) => isSkipped(agent, event, text)),
  ]);
  expect(wrong).toEqual([]);
});

test("an author named in the payload overrides the opening", () => {
  const readSkip = (payload: object) =>
    parsed({ hook_event_name: "UserPromptSubmit", ...payload }, { agent: "claude" }).skip;
  expect(readSkip({ prompt: "check the deploy", promptSource: "system" })).toMatch(/no person/);
  expect(readSkip({ prompt: "check the deploy", prompt_source: "cron" })).toMatch(/no person/);
  expect(readSkip({ prompt: "check the deploy", origin: { kind: "task-notification" } })).toMatch(/no person/);
  expect(readSkip({ prompt: "check the deploy", isMeta: true })).toMatch(/no person/);
  expect(readSkip({ prompt: "<agent-message> is what it says", promptSource: "typed" })).toBeUndefined();
});

test("a prompt in parts is read like a text, and a picture alone is the user's", () => {
  const readSkip = (prompt: unknown) => parsed({ hook_event_name: "UserPromptSubmit", prompt }, { agent: "kimi" }).skip;
  expect(readSkip([{ type: "text", text: "<task-notification>" }])).toMatch(/no person/);
  expect(readSkip([{ type: "text", text: "go on" }])).toBeUndefined();
  expect(readSkip([{ type: "image_url", image_url: { url: "data:" } }])).toBeUndefined();
  expect(readSkip([])).toMatch(/no person/);
});
