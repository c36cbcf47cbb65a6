/**
 * Runs the checks on the current machine, and prints a line of JSON for each. Arguments: `check`, `measure` after a
 * `check` run, or `record`; the root's name, or on Windows the folder of a profile; a regular expression for the names
 * of the checks, or for `record` more environment, as JSON.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { sleep } from "../../world/home.ts";
import { roots } from "../roots.ts";
import type { Check, CheckResult } from "./check.ts";
import { inputChecks } from "./input-checks.ts";
import { installs, rootIsWhatItSays, uninstalls } from "./installer-checks.ts";
import { createMachine, type Machine } from "./machine.ts";
import { recordCalls } from "./program-calls.ts";
import { timeCheck } from "./time-check.ts";
import { workerChecks } from "./worker-checks.ts";

/** Time limit for a check, in seconds. */
const maxSeconds = process.platform === "win32" ? 150 : 90;

const [phase, name = "", names = ""] = process.argv.slice(2);
if (process.platform === "win32") {
  process.env["USERPROFILE"] = name;
  mkdirSync(name, { recursive: true });
}
const machine = createMachine(roots.find((root) => root.name === name));
const needed = phase === "measure" ? [] : [rootIsWhatItSays, installs];
const others = phase === "measure" ? [timeCheck] : [...inputChecks, ...workerChecks, ...uninstalls];
const chosen = phase === "record" ? [] : others.filter((check) => new RegExp(names).test(check.name));
if (phase === "record") await printCalls();
else await runChecks();
process.exit(0);

/** Installs, and prints the calls of the system's programs. `names` is more environment, as JSON. */
async function printCalls(): Promise<void> {
  Object.assign(process.env, JSON.parse(names));
  const caller = createMachine(machine.root);
  const installed = await runCheck(installs, caller);
  console.log(JSON.stringify(installed));
  if (installed.failure !== undefined) return;
  const record = () =>
    recordCalls(caller).then(
      (calls) => ({ calls }),
      (error: Error) => ({ failure: error.message }),
    );
  const first = await record();
  const isAgain = process.platform === "win32" && "failure" in first; // programs start slowly under Wine
  const recorded = isAgain ? await record() : first;
  console.log(JSON.stringify({ name: "its programs are called as the fixture says", ms: 0, ...recorded }));
}

async function runChecks(): Promise<void> {
  for (const check of [...needed, ...chosen]) {
    if (check.isFor && !check.isFor(machine)) continue;
    const result = await resultWithPatience(check);
    console.log(JSON.stringify(result));
    if (result.failure !== undefined && needed.includes(check)) break; // the others would be duplicates
  }
}

/**
 * Repeats a failed check once, as its result says. On a busy machine a check may be late, and under Wine two
 * simultaneous appends to a file may overwrite each other, which tears the test's input.
 */
async function resultWithPatience(check: Check): Promise<CheckResult> {
  const first = await runCheck(check, machine);
  if (first.failure === undefined || check === timeCheck) return first;
  const second = await runCheck(check, machine);
  return { ...second, note: `${second.note ?? ""} (second try; the first: ${first.failure.split("\n")[0]})`.trim() };
}

async function runCheck(check: Check, machine: Machine): Promise<CheckResult> {
  const startedAt = Date.now();
  try {
    const late = sleep(maxSeconds * 1000).then(() => Promise.reject(new Error(`not done within ${maxSeconds} s`)));
    const note = await Promise.race([check.run(machine), late]);
    return { name: check.name, ms: Date.now() - startedAt, ...(note && { note }) };
  } catch (error) {
    const { message, stack = message } = error as Error;
    const failure = (error instanceof assert.AssertionError ? message : stack).slice(0, 2000);
    return { name: check.name, ms: Date.now() - startedAt, failure };
  }
}
