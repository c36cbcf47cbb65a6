import { randomInt } from "node:crypto";
import { isLoopback } from "../../../core/http-port.ts";
import { referencePattern } from "../../../core/secret.ts";
import type { SetupGuide } from "../../../core/setup-guide.ts";

/** Characters for a topic, without those that are easily mistaken for one another. */
const topicCharacters = "abcdefghijkmnpqrstuvwxyz23456789";
/** Number of random characters in a topic: 60 bits. */
const topicLength = 12;

function suggestTopic(): string {
  const characters = Array.from({ length: topicLength }, () => topicCharacters[randomInt(topicCharacters.length)]);
  return `beckon-${characters.join("")}`;
}

const isHere = (server: string) => URL.canParse(server) && isLoopback(new URL(server).hostname);

/** Guide for setting up ntfy. */
export const ntfyGuide: SetupGuide = {
  intro: ["ntfy is a free app for Android and iPhone, and needs no account. Install it on your phone: https://ntfy.sh"],
  where: { topic: "Press Enter to use the name below, which is hard to guess." },
  doubts: {
    server: (server) =>
      isHere(server)
        ? "Your phone cannot reach this address: on the phone it means the phone. Better enter this machine's name."
        : undefined,
  },
  suggestions: { topic: suggestTopic },
  lastSteps({ topic, server = "https://ntfy.sh" }) {
    const isKnown = (value: unknown): value is string => typeof value === "string" && !referencePattern.test(value);
    if (!isKnown(topic) || !isKnown(server))
      return { lines: ["In the ntfy app: + → Subscribe to topic → your topic."] };
    const other = server === "https://ntfy.sh" ? "" : `, then “Use another server” → ${server}`;
    const lines = [`In the ntfy app: + → Subscribe to topic → ${topic}${other}`];
    if (isHere(server)) return { lines: [...lines, "Enter this machine's name there as your phone knows it."] };
    const address = `${server}/${topic}`;
    return { lines: [...lines, `Or open this address: ${address}`], address };
  },
  ifSilent: [
    "Compare the topic and the server in the app with those above, letter by letter.",
    "Allow notifications for ntfy in the phone's settings, and check that the phone is not in do-not-disturb mode.",
    "On Android, disable battery optimization for ntfy. On an iPhone, pull the list down once to see if the message is there.",
  ],
};
