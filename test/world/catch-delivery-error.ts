import { expect } from "vitest";
import { DeliveryError } from "../../src/core/errors.ts";

/** Returns the error of a delivery that must fail. */
export async function catchDeliveryError(promise: Promise<unknown>): Promise<DeliveryError> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DeliveryError);
  return error as DeliveryError;
}
