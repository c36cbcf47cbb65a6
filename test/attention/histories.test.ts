import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { readJournal } from "../../src/journal/read-journal.ts";
import { AttentionWorld, type Session } from "../world/attention-world.ts";

const sessions: readonly Session[] = [
  { agent: "claude", id: "one", pid: 4_100_000 },
  { agent: "claude", id: "two", pid: 4_100_010 },
  { agent: "droid", id: "three", pid: 4_100_020 },
];
const routes = [
  { kinds: ["needs-you", "failed", "finished"], to: ["desk"] },
  { kinds: ["needs-you"], to: ["phone"], after: "5m", repeat: { every: "10m", times: 1 } },
];

const step = fc.record({
  session: fc.constantFrom(...sessions),
  what: fc.constantFrom("ask", "ask", "prompt", "stop", "end", "type", "look", "look away", "reboot"),
  /** Delay until the next step. */
  gapMs: fc.constantFrom(0, 300, 1_500, 3_000, 20_000, 400_000),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function act(world: AttentionWorld, { session, what }: Step, index: number): void {
  const acts: Readonly<Record<Step["what"], () => void>> = {
    ask: () =>
      world.fire(session, "Notification", { message: `May I do ${index}?`, notification_type: "permission_prompt" }),
    prompt: () => world.fire(session, "UserPromptSubmit", { prompt: "yes" }),
    stop: () => world.fire(session, "Stop", { last_assistant_message: `Answer ${index}` }),
    end: () => world.fire(session, "SessionEnd", { reason: "exit" }),
    type: () => {
      world.typed.set(session.pid, world.nowMs);
    },
    look: () => {
      world.focused = session;
    },
    "look away": () => {
      world.focused = undefined;
    },
    reboot: () => world.reboot(),
  };
  acts[what]();
}

async function play(steps: readonly Step[]): Promise<JournalLine[]> {
  const world = new AttentionWorld();
  await world.start({ routes });
  for (const [index, one] of steps.entries()) {
    act(world, one, index);
    await world.workUntil(world.nowMs + one.gapMs);
  }
  await world.workUntil(world.nowMs + 3_600_000);
  return readJournal(join(world.root, "journal"), 1);
}

const buildKey = ({ id, notifier, step = 0 }: JournalLine) => `${id} ${notifier} ${step}`;

test("in any history no request is lost, rings twice or rings after it is resolved", { timeout: 240_000 }, async () => {
  const histories = fc.array(step, { minLength: 3, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const lines = await play(steps);
      const sent = lines.filter(({ status }) => status === "sent");
      expect(new Set(sent.map(buildKey)).size, "sent twice for one step").toBe(sent.length);
      for (const { id } of lines.filter(({ status }) => status === "resolved")) {
        const own = lines.filter((line) => line.id === id).map(({ status }) => status);
        expect(own.lastIndexOf("sent"), `${id} was sent after it was resolved`).toBeLessThan(own.indexOf("resolved"));
      }
      const asked = lines.filter(({ status, kind }) => status === "accepted" && kind === "needs-you");
      for (const { id } of asked) {
        const own = lines.filter((line) => line.id === id);
        const wasSent = own.some(({ status, notifier }) => status === "sent" && notifier === "desk");
        const isKnown = own.some(
          ({ status, reason = "" }) => status === "skipped" && /resolved|repeat|same/.test(reason),
        );
        expect(wasSent || isKnown, `${id} was lost: ${JSON.stringify(own)}`).toBe(true);
      }
    }),
    { numRuns: 30 },
  );
});
