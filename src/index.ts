/** Exports for notifier modules. Their types need none of beckon's packages, only `@types/node` or TypeScript's `dom`. */
export { DeliveryError, type FailureReason, failureReasons } from "./core/errors.ts";
export type { Facts, TokenUsage } from "./core/facts.ts";
export type * from "./core/http-port.ts";
export type { Message } from "./core/message.ts";
export type { NotifierCall } from "./core/notifier-call.ts";
export type * from "./core/ports.ts";
export { type EventName, eventNames, type Kind, kinds } from "./core/vocabulary.ts";
