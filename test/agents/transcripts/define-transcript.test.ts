import { expect, test } from "vitest";
import { claudeTranscript } from "../../../src/agents/transcripts/claude.ts";

const prompt = (content: unknown) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
const title = (tail: string, head = tail) => claudeTranscript.read({ head, tail }).title;

test.each([
  ["its first prompt", prompt("fix the login") + prompt("now the tests"), "fix the login"],
  ["one line of it", prompt("fix\n\n  the \u001b[31mlogin"), "fix the login"],
  ["sixty characters of it", prompt("fix ".repeat(40)), `${"fix ".repeat(14)}fix…`],
  ["the first that no editor wrote", prompt("<ide_opened_file>a.ts</ide_opened_file>") + prompt("fix it"), "fix it"],
])("a session without a title is called by %s", (_, transcript, called) => {
  expect(title(transcript)).toBe(called);
});

test("of a long session the first prompt is that of its beginning", () => {
  expect(title(prompt("now the tests"), prompt("fix the login"))).toBe("fix the login");
});

test("a title is preferred", () => {
  expect(title(`${prompt("fix the login")}{"type":"ai-title","aiTitle":"Repair the login"}\n`)).toBe(
    "Repair the login",
  );
});
