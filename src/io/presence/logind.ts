import { at } from "../../core/json-value.ts";
import type { BusValue } from "../bus-types.ts";
import type { BusCall } from "../session-bus.ts";
import type { Question, Source } from "./question.ts";

const service = "org.freedesktop.login1";

/**
 * Source for systemd's login service. Asks about the user's main session, which is usually the graphical one. Ignores
 * the answers "not locked" and "not idle", because many desktops never report these states.
 * https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html
 */
export const logindSource: Source = async (question) => {
  const manager = { path: "/org/freedesktop/login1", interface: `${service}.Manager` };
  const [user] = await call(question, {
    ...manager,
    member: "GetUser",
    signature: "u",
    body: [process.getuid?.() ?? 0],
  });
  const display = await property(question, String(user), "User", "Display");
  const session = Array.isArray(display) ? String(display[1]) : "/";
  if (session === "/") return {};
  const [isLocked, isIdle, idleSince] = await Promise.all(
    ["LockedHint", "IdleHint", "IdleSinceHint"].map((name) => property(question, session, "Session", name)),
  );
  return {
    ...(isLocked === true && { isLocked }),
    ...(isIdle === true &&
      typeof idleSince === "bigint" && { idleMs: Math.max(0, Date.now() - Number(idleSince) / 1000) }),
  };
};

async function property(question: Question, path: string, owner: "User" | "Session", name: string) {
  const body = [`${service}.${owner}`, name];
  const get = { interface: "org.freedesktop.DBus.Properties", member: "Get", signature: "ss", body };
  return at((await call(question, { path, ...get }))[0], "value") as BusValue | undefined;
}

function call({ call: callOn }: Question, request: Omit<BusCall, "destination">): Promise<readonly BusValue[]> {
  return callOn("system", { destination: service, ...request });
}
