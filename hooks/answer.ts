import { runHook } from "../src/hook/run-hook.ts";

runHook("Answer");
