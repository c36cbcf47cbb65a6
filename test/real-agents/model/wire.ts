import type { ServerResponse } from "node:http";
import type { Answer, Conversation, Part } from "./conversation.ts";

/** Wire format of a vendor: how to parse a conversation and how to send an answer. */
export interface Wire {
  /** True if requests to a path have this format. */
  speaks(path: string): boolean;
  /** Parses a conversation, without the parts that all formats share. */
  read(body: Part, path: string): Omit<Conversation, "everything">;
  answer(response: ServerResponse, conversation: Conversation, answer: Answer): void;
  /** Builds the body of an error. */
  error(status: number, message: string): object;
}

/** Token counts that every answer reports. */
export const usage = { input: 1200, output: 90 };

let count = 0;
/** Makes a new id, unique within the process. */
export function newId(prefix: string): string {
  count += 1;
  return `${prefix}_${Date.now().toString(36)}${count.toString(36)}`;
}

/** Sends a whole JSON body. */
export function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Starts a stream of server-sent events. Returns a function that sends one event. */
export function openStream(response: ServerResponse): (data: object, event?: string) => void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return (data, event) => {
    response.write(`${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
  };
}

/** Returns the error type of OpenAI and Anthropic for a status. */
export function errorType(status: number): string {
  return status === 400 ? "invalid_request_error" : "api_error";
}
