import { runHook } from "../src/hook/run-hook.ts";

// Called by the launcher if it cannot read the input. The event is the first argument.
const [event] = /^[\w-]+$/.exec(process.argv[2] ?? "") ?? ["unknown"];
runHook(event);
