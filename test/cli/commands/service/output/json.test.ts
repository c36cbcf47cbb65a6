import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLine } from "../../../../../src/cli/commands/service/output/json.ts";

test("a line of JSON parses to the same value, and has no control characters", () => {
  const unit = fc.oneof(
    fc.constantFrom(
      "\u009b",
      "\u001b",
      "\n",
      "\u2028",
      "\u202e",
      "\u2066",
      "\ufeff",
      "\u{e0041}",
      "\u007f",
      "\ud800",
      "é",
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  );
  const text = fc.string({ unit, maxLength: 10 });
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text))), (value) => {
      const line = jsonLine(value);
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u);
    }),
    { numRuns: 500 },
  );
});
