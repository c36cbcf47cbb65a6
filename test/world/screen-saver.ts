import { createServer } from "node:net";
import { join } from "node:path";
import { answerCalls, failure, replyTo } from "./session-bus.ts";

/** A session bus with a screen saver. Either the screen is locked, or the user is at the machine. */
export type ScreenSaver = Awaited<ReturnType<typeof startScreenSaver>>;

/** Starts a session bus with a screen saver and nothing else, at a socket in `folder`. The screen is locked at first. */
export async function startScreenSaver(folder: string) {
  const path = join(folder, "bus");
  /** `address` is for `DBUS_SESSION_BUS_ADDRESS`. */
  const saver = { address: `unix:path=${path}`, isLocked: true, close: () => void server.close() };
  const server = createServer((socket) =>
    answerCalls((call) => {
      if (call.member === "Hello") return replyTo(call, "s", ":1.1");
      const asked = `${call.destination} ${call.member}`;
      if (asked === "org.freedesktop.ScreenSaver GetActive") return replyTo(call, "b", saver.isLocked);
      // Milliseconds since the last input
      if (asked === "org.kde.screensaver GetSessionIdleTime") return replyTo(call, "u", saver.isLocked ? 900_000 : 1);
      return failure(call, "org.freedesktop.DBus.Error.ServiceUnknown");
    })(socket.on("error", () => {})),
  );
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return saver;
}
