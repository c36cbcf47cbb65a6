/** What a notifier or lookup of your own is made of. */
export { DeliveryError, type FailureReason, failureReasons } from "./core/errors.ts";
export type { AgentEvent } from "./core/event.ts";
export type { Facts, TokenUsage } from "./core/facts.ts";
export type * from "./core/http-port.ts";
export { defineLookup, type Lookup, type LookupCall } from "./core/lookup.ts";
export type * from "./core/machine-ports.ts";
export type * from "./core/mail-port.ts";
export type { LengthUnit, Limits, Message } from "./core/message.ts";
export { defineNotifier, type Notifier, type NotifierCall, type NotifierDeclaration } from "./core/notifier.ts";
export type * from "./core/ports.ts";
export { secret } from "./core/secret.ts";
export { type EventName, eventNames, type Kind, kinds, type Status, statuses } from "./core/vocabulary.ts";
