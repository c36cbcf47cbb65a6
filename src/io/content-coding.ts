import { isAscii } from "node:buffer";
import { Readable, type Transform } from "node:stream";
import { readErrno } from "../core/errors.ts";
import type { HttpReply } from "../core/http-port.ts";
import { once } from "../core/once.ts";
import { findUnknown, listCodings } from "./coding-names.ts";

/** Body of a reply as it arrived, or its beginning. */
export interface CodedBody {
  readonly chunks: readonly Buffer[];
  /** True if the rest of the body was not read. */
  readonly isCut: boolean;
  /** Value of `Content-Encoding`. */
  readonly coding: string;
}

/** Only compressed replies load zlib, which few programs need. */
const loadZlib = once(() => import("node:zlib"));
type Zlib = Awaited<ReturnType<typeof loadZlib>>;

/**
 * Decodes a body up to `maxBytes` of the decoded text, so that a small body cannot fill the memory.
 * @throws for a body that is not valid in its coding
 */
export async function decodeBody(
  { chunks, isCut, coding }: CodedBody,
  maxBytes: number,
): Promise<Pick<HttpReply, "body" | "truncated" | "unknownCoding">> {
  const applied = listCodings(coding);
  const unknownCoding = findUnknown(applied);
  if (unknownCoding !== undefined) return { body: "", unknownCoding };
  const codings = applied.toReversed();
  const zlib = await loadZlib();
  const whole = isCut ? undefined : decodeWhole(zlib, Buffer.concat(chunks), codings, maxBytes);
  if (whole !== undefined) return { body: decodeText(whole) };
  return { body: decodeText(await decodeBeginning(zlib, chunks, codings, maxBytes)), truncated: true };
}

/** Decodes UTF-8. ASCII has the same bytes in both encodings, and V8 decodes Latin-1 fastest. */
export function decodeText(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}

/**
 * Decodes a complete body, which takes less time at once than as a stream; undefined if it exceeds `maxBytes`.
 * @param codings the coding that was applied last comes first
 */
function decodeWhole(zlib: Zlib, body: Buffer, codings: readonly string[], maxBytes: number): Buffer | undefined {
  try {
    const limits = { maxOutputLength: maxBytes };
    return codings.reduce((bytes, name) => {
      if (name === "br") return zlib.brotliDecompressSync(bytes, limits);
      if (name !== "deflate") return zlib.gunzipSync(bytes, limits);
      return hasZlibHeader(bytes) ? zlib.inflateSync(bytes, limits) : zlib.inflateRawSync(bytes, limits);
    }, body);
  } catch (error) {
    if (readErrno(error) === "ERR_BUFFER_TOO_LARGE") return undefined;
    throw error;
  }
}

/** Decodes the first `maxBytes` of a body that is longer or was cut. */
async function decodeBeginning(
  zlib: Zlib,
  chunks: readonly Buffer[],
  codings: readonly string[],
  maxBytes: number,
): Promise<Buffer> {
  let stream: Readable = Readable.from(chunks);
  for (const [index, name] of codings.entries()) {
    const decoder = createDecoder(zlib, name, index === 0 ? chunks[0] : undefined);
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
  } catch {
    // A body that was cut ends in an error; its beginning is all that is needed.
  }
  return Buffer.concat(decoded, Math.min(sizeBytes, maxBytes));
}

function createDecoder(zlib: Zlib, name: string, start: Buffer | undefined): Transform {
  if (name === "br") return zlib.createBrotliDecompress();
  if (name !== "deflate") return zlib.createGunzip();
  return start === undefined || hasZlibHeader(start) ? zlib.createInflate() : zlib.createInflateRaw();
}

/** Some servers leave out the header: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2 */
function hasZlibHeader(start: Buffer): boolean {
  return (Number(start[0]) & 0x0f) === 8;
}
