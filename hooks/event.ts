import { runHook } from "../src/hook/run-hook.ts";

// Called by the launcher where it cannot read the input itself. The event is the first argument.
const [event] = /^[\w-]+$/.exec(process.argv[2] ?? "") ?? ["unknown"];
runHook(event);
