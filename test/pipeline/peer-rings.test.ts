import { expect, test } from "vitest";
import { PeerRings, ringsPerMinute } from "../../src/pipeline/recent-events.ts";

test("each machine may ring 30 times a minute, and further rings are skipped", () => {
  const rings = new PeerRings();
  const verdicts = Array.from({ length: ringsPerMinute + 3 }, (_, index) => rings.count("loud", index));
  expect(verdicts.slice(0, ringsPerMinute).every((verdict) => verdict === "call")).toBe(true);
  expect(verdicts.slice(ringsPerMinute)).toEqual(["first", "leave out", "leave out"]);
  expect(rings.count("other", 40)).toBe("call");
  expect(rings.count("loud", 59_999)).toBe("leave out");
  expect(rings.count("loud", 60_000 + ringsPerMinute)).toBe("call");
});
