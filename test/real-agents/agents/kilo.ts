import { openCodeLike } from "./opencode.ts";

export const kilo = openCodeLike("kilo");
