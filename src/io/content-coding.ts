import { Readable, type Transform } from "node:stream";
import type { HttpReply } from "../core/http-port.ts";
import { findUnknown, listCodings } from "./coding-names.ts";

/** Body of a reply as it arrived, or its beginning. */
export interface CodedBody {
  readonly chunks: readonly Buffer[];
  /** True if the rest of the body was not read. */
  readonly isCut: boolean;
  /** Value of `Content-Encoding`. */
  readonly coding: string;
}

/**
 * Decodes a body up to `maxBytes` of the decoded text, so that a small body cannot fill the memory.
 * @throws for a body that is not valid in its coding
 */
export async function decodeBody(
  { chunks, isCut, coding }: CodedBody,
  maxBytes: number,
): Promise<Pick<HttpReply, "body" | "truncated" | "unknownCoding">> {
  const codings = listCodings(coding);
  const unknownCoding = findUnknown(codings);
  if (unknownCoding !== undefined) return { body: "", unknownCoding };
  let stream: Readable = Readable.from(chunks);
  for (const [index, name] of codings.reverse().entries()) {
    const decoder = await createDecoder(name, index === 0 ? chunks[0] : undefined);
    stream = stream.on("error", (error) => decoder.destroy(error)).pipe(decoder);
  }
  const decoded: Buffer[] = [];
  let sizeBytes = 0;
  try {
    // Leaving the loop stops the decoders.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      decoded.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) break;
    }
  } catch (error) {
    if (!isCut) throw error;
  }
  const body = Buffer.concat(decoded, Math.min(sizeBytes, maxBytes)).toString("utf8");
  return isCut || sizeBytes > maxBytes ? { body, truncated: true } : { body };
}

/** Creates the decoder of a coding. Only compressed replies load zlib, which few programs need. */
async function createDecoder(name: string, start: Buffer | undefined): Promise<Transform> {
  const zlib = await import("node:zlib");
  if (name === "br") return zlib.createBrotliDecompress();
  if (name !== "deflate") return zlib.createGunzip();
  // Some servers leave out the zlib header: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2
  const hasHeader = start === undefined || (Number(start[0]) & 0x0f) === 8;
  return hasHeader ? zlib.createInflate() : zlib.createInflateRaw();
}
