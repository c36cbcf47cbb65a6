import { runHook } from "../src/hook/run-hook.ts";

// The launcher runs this entrypoint if it cannot read the input itself. The first argument is the event.
const [event] = /^[\w.-]+$/.exec(process.argv[2] ?? "") ?? ["unknown"];
runHook(event);
