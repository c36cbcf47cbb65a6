import fc from "fast-check";
import { expect, test } from "vitest";
import { buildReply, isReply } from "../../src/core/permission-reply.ts";
import { allow, deny } from "../answers/replies.ts";

test("the two replies are those that Claude Code documents", () => {
  expect(buildReply("allow")).toBe(allow);
  expect(buildReply("deny")).toBe(deny());
  expect(buildReply("deny", "")).toBe(deny());
  expect(buildReply("allow", "ignored")).toBe(allow);
});

test("a refusal with any reason is one line that hooks accept, and says nothing but the reason", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 800 }), (reason) => {
      const reply = buildReply("deny", reason);
      expect(isReply(reply)).toBe(true);
      const { decision } = (JSON.parse(reply) as { hookSpecificOutput: { decision: Record<string, string> } })
        .hookSpecificOutput;
      expect(Object.keys(decision)).toEqual(["behavior", "message"]);
      expect([...(decision["message"] ?? "")].length).toBeLessThanOrEqual(450);
    }),
  );
});

test("a reason of the longest characters is cut to fit into a reply, and shows that it goes on", () => {
  const reply = buildReply("deny", "\u{1f600}".repeat(800));
  expect(isReply(reply)).toBe(true);
  expect(reply).toContain('\u{1f600}…"');
});
