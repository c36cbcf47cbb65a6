import { expect, test } from "vitest";
import { checkedEnvironment, terminalVariables } from "../../src/core/terminal-environment.ts";
import { terminalValues } from "./terminal-values.ts";

test.each(terminalVariables.map((name) => [name] as const))("%s is accepted only in its valid form", (name) => {
  const [good = "", ...bad] = terminalValues[name] ?? [];
  expect(checkedEnvironment({ [name]: good }, terminalVariables)).toEqual({ [name]: good });
  expect(bad).toHaveLength(5);
  for (const value of bad) expect(checkedEnvironment({ [name]: value }, terminalVariables)).toEqual({});
});

test("a value other than text is left out", () => {
  for (const value of [3, null, ["3"], {}])
    expect(checkedEnvironment({ WINDOWID: value }, terminalVariables)).toEqual({});
});
