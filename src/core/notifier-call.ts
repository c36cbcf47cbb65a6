import type { EventView } from "./event.ts";
import type { Message } from "./message.ts";
import type { AnswerChoice } from "./permission-reply.ts";
import type { Ports } from "./ports.ts";
import type { TerminalEnvironment } from "./terminal-environment.ts";

/**
 * Identifiers that the receiver gave a message, for changing or withdrawing it later; at most 512 bytes as JSON. Never
 * contains an address, a token, or text of the message.
 */
export type Receipt = Readonly<Record<string, string | number>>;

/** Permission request that a message may answer with buttons. */
export interface AnswerOffer {
  /** Whole request, line by line, as it must be shown next to the buttons. Contains no invisible characters. */
  readonly lines: readonly string[];
  /** Reason why the request can only be denied with these buttons. */
  readonly denyOnly?: string;
  /** Number of the session's requests within two minutes, including this one. */
  readonly recentCount: number;
  /** Sentences to show below the request, in the message's language; empty until `presentOffer` adds them. */
  readonly remarks: readonly string[];
  /** True if the answer may take several presses, so that the buttons must stay after a press. */
  readonly needsSeveral: boolean;
  /** Buttons to show. */
  readonly choices: readonly AnswerButton[];
  /** Answers the request with the token of a pressed button. */
  press(token: string): void;
  /**
   * Notes that the message is visible now. In the next second, a button that allows the request has no effect.
   * @param receipt the message's receipt; absent if the notifier returned none
   */
  markShown(receipt?: Receipt): void;
}

/** Button that answers a permission request, whether it is shown or pressed. */
export interface AnswerButton {
  /** Short name of the request, for receivers that report presses later: 11 letters, digits, `-` or `_`. */
  readonly reference: string;
  readonly choice: AnswerChoice;
  /** Number of the option that the button chooses, if the request is a form; from 1. */
  readonly pick?: number;
  /** Text of the button; default: the label of the choice. */
  readonly label?: string;
  /** Proof, which is valid only for this button, and only while the request is open. */
  readonly token: string;
}

/** Press of a message's button, as the receiver reports it. */
export interface ButtonPress {
  /** Receiver's id of the press. */
  readonly id: string;
  /** Reason why the press does not prove who pressed which button. */
  readonly problem?: string;
  /** Receiver's id of the user. */
  readonly user?: number;
  /** Name that the user has chosen. Proves nothing. */
  readonly userName?: string;
  /** Receipt of the message as it was when the button was pressed. */
  readonly receipt?: Receipt;
  /** Meaning of the button: an answer to a request, or `seen`. Absent if it is none of beckon's buttons. */
  readonly button?: "seen" | AnswerButton;
}

/** Pressed buttons, and the position up to which they have been read. */
export interface PressesRead {
  readonly presses: readonly ButtonPress[];
  /** Position for the next read; absent if nothing was read. The next read confirms everything before its position. */
  readonly cursor?: number;
}

/** Arguments of `send`: one message and everything needed to deliver it. */
export interface NotifierCall<Settings> {
  /** Settings of the notifier's entry, validated, with references resolved. */
  readonly settings: Settings;
  readonly message: Message;
  /** Event and facts behind the message: masked, and reduced to the level of detail that the entry allows. */
  readonly view: EventView;
  /** Thread that the message belongs to; absent in test messages and in beckon's own notices. */
  readonly thread?: Thread;
  readonly ports: Ports;
  /** Ids of the processes from the hook up to the agent, if the platform lists them. The processes may have ended. */
  readonly processes: readonly number[];
  /** Terminal of the agent, as found in the hook's environment. */
  readonly terminal?: TerminalEnvironment;
  /** True for the second attempt after the receiver rejected markup or size. The message must then be plain text. */
  readonly isFallback: boolean;
  /**
   * Masks text that looks like a secret, unless the user has disabled masking. Used for texts that other users of this
   * machine can read, such as a program's arguments. A message that leaves the machine is already masked.
   */
  readonly mask: (text: string) => string;
  /** Language of the message's texts, as ISO 639-1 code. */
  readonly language: string;
  /** Origin of the message in the message's language, one line each for agent, project and, if known, folder. */
  readonly origin: string;
  /** Button labels in the message's language. */
  readonly labels: Labels;
  /**
   * Called when the user reacts to the message, at any time after sending starts. Only notifiers that get reactions
   * while the worker runs call it, such as the desktop. Absent for test messages and beckon's own notices.
   */
  readonly onReaction?: (reaction: Reaction) => void;
  /** Permission request that the message's buttons may answer; absent unless the user has set that up. */
  readonly offer?: AnswerOffer;
  /** One line, in the message's language, about the end of the permission request that the buttons could answer. */
  readonly outcome?: string;
  /** Adds a remark to the journal line of the delivered message, such as "one of two servers was down". */
  readonly remark: (text: string) => void;
  /** Aborts at the end of the notifier's budget. */
  readonly signal: AbortSignal;
}

/**
 * Reaction of a person to a visible message. `seen` resolves its concerns, `focus` goes to the agent's terminal, and
 * `closed` closes the message without resolving anything.
 */
export type Reaction = "seen" | "focus" | "closed";

/** Button labels by action. The labels for answers are needed only with an `offer`. */
export type Labels = Readonly<Record<"seen" | "focus", string> & Partial<Record<AnswerChoice, string>>>;

/** All messages of one session at one notifier. */
export interface Thread {
  /** Id of the thread: 32 hexadecimal digits, the same for all messages of a session. */
  readonly key: string;
  /** Receipt of the session's previous message at this notifier, if that message is still visible. */
  readonly previous?: Receipt;
}

/** Arguments of `update` and `withdraw`: the message in its new form, and the receipt of the message to change. */
export interface ChangeCall<Settings> extends NotifierCall<Settings> {
  /** Receipt that the notifier returned when the message was sent or last updated. */
  readonly receipt: Receipt;
  /** Set if the message is withdrawn because a newer message replaces it. The concern is still open. */
  readonly isSuperseded?: boolean;
  /** Resolutions of the message's resolved concerns. */
  readonly resolutions?: readonly Resolution[];
}

/** Time and cause of a concern's resolution. */
export interface Resolution {
  /** Id of the event that raised the concern. */
  readonly id: string;
  /** Time of the resolution, Unix milliseconds. */
  readonly atMs: number;
  /** Cause of the resolution, as named in the journal: `prompt`, `seen` … */
  readonly by: string;
}

/** Arguments of a poll that asks the receiver which messages somebody has marked as seen. */
export interface ReactionsCall<Settings> extends CheckCall<Settings> {
  /** Receipts of the visible messages whose concerns are still open. */
  readonly active: readonly Receipt[];
}

/** Arguments of `check` and `probe`, which send no message. */
export type CheckCall<Settings> = Pick<NotifierCall<Settings>, "settings" | "ports" | "signal">;
