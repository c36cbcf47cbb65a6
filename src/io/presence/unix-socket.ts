import { connect } from "node:net";
import { isOwnSocket } from "./own-socket.ts";

const maxReplyBytes = 4 * 1024 * 1024;

/**
 * Sends a request to a Unix socket that the user owns. Resolves to the reply when the reply is complete or the other
 * side closes. Undefined on failure, on abort, or if the reply exceeds 4 MiB.
 */
export function askSocket(
  path: string,
  request: string | Buffer,
  isWhole: (reply: Buffer) => boolean,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (!isOwnSocket(path) || signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const socket = connect({ path, signal });
    let reply: Buffer = Buffer.alloc(0);
    const end = (result: Buffer | undefined): void => {
      socket.destroy();
      resolve(result);
    };
    socket.on("data", (chunk: Buffer) => {
      reply = Buffer.concat([reply, chunk]);
      if (reply.length > maxReplyBytes) end(undefined);
      else if (isWhole(reply)) end(reply);
    });
    socket.on("error", () => end(undefined)).on("close", () => end(reply.length > 0 ? reply : undefined));
    socket.write(request);
  });
}
