import type { Readable } from "node:stream";
import { clean } from "../text/clean.ts";

/**
 * Reads a stream to its end and keeps at most its last `maxBytes`, beginning at the start of a line. Returns a function
 * that returns the cleaned text.
 */
export function collectEnd(stream: Readable, maxBytes: number): () => string {
  let kept: Buffer = Buffer.alloc(0);
  let isCut = false;
  stream.on("data", (chunk: Buffer) => {
    const all = Buffer.concat([kept, chunk]);
    isCut ||= all.length > maxBytes;
    kept = all.subarray(-maxBytes);
  });
  stream.on("error", () => {}); // a broken pipe ends the output
  // Half a line may begin with half a secret, which masking would not recognize.
  return () => clean(new TextDecoder().decode(isCut ? kept.subarray(kept.indexOf("\n") + 1 || kept.length) : kept));
}
