import { type Part, readParts, readText, type Schema } from "./conversation.ts";
import { newId, sendJson, usage, type Wire } from "./wire.ts";

/** Gemini's generateContent. https://ai.google.dev/api/generate-content */
export const gemini: Wire = {
  speaks: (path) => /generateContent/i.test(path),
  read(body, path) {
    const config = body["generationConfig"] as Part | undefined;
    return {
      stream: path.includes("streamGenerateContent"),
      model: /models\/([^:]+)/.exec(path)?.[1] ?? "gemini",
      turns: readParts(body["contents"]).map(({ role, parts }) => {
        const isReply = readParts(parts).some(({ functionResponse }) => functionResponse);
        return { role: role === "model" ? "assistant" : isReply ? "tool" : "user", text: readText(parts) };
      }),
      tools: readParts(body["tools"])
        .flatMap(({ functionDeclarations }) => readParts(functionDeclarations))
        .map(({ name, parameters = {}, parametersJsonSchema = parameters }) => {
          return { name: String(name), schema: parametersJsonSchema as Schema };
        }),
      answerSchema: (config?.["responseJsonSchema"] ?? config?.["responseSchema"]) as Schema | undefined,
    };
  },
  answer(response, { stream, model }, { text, calls = [] }) {
    const parts = [
      ...(text === undefined ? [] : [{ text }]),
      ...calls.map(({ tool, input }) => ({ functionCall: { name: tool.name, args: input } })),
    ];
    const { input, output } = usage;
    const answer = {
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
      modelVersion: model,
      responseId: newId("r"),
    };
    if (!stream) return sendJson(response, answer);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify(answer)}\n\n`);
  },
  error(code, message) {
    return { error: { code, message, status: code === 400 ? "INVALID_ARGUMENT" : "UNAVAILABLE" } };
  },
};
