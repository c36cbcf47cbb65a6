import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Listens at a socket's path until the test ends, and passes each connection on; errors of connections are ignored. */
export async function listenAt(path: string, behave: (socket: Socket) => void = () => {}): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}
