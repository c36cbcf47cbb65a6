import { openCodeLike } from "./opencode.ts";

export const kilo = openCodeLike("kilo", {
  refuse: ["Escape", "Enter"], // it asks for a reason, which is left empty
  dismiss: ["Escape"],
});
