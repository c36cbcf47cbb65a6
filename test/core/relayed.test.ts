import { expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import { fromRelayed, relayedEventSchema, toRelayed } from "../../src/core/relayed.ts";

const sent: AgentEvent = {
  ...{ id: "id-1", atMs: 1, event: "Stop", nativeEvent: "failed", agent: "cli", kind: "failed", project: "shop" },
  ...{ sessionId: "deploy", message: "exit code 2 after 3 s", extra: {} },
};

test("a message that the user sent on another machine keeps its title, its command and its duration", () => {
  for (const own of [{ headline: "Build broken" }, { program: "npm test" }]) {
    const relayed = relayedEventSchema.parse(toRelayed({ event: { ...sent, ...own }, facts: { turnMs: 3_000 } }));
    const { event, facts } = fromRelayed(relayed, { id: "id-2", atMs: 1, host: "devbox" });
    expect(event).toMatchObject({ ...own, agent: "cli", message: sent.message, host: "devbox", isRelayed: true });
    expect(facts).toEqual({ turnMs: 3_000 });
  }
});
