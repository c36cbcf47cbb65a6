import { runHook } from "../src/hook.ts";

runHook("Stop");
