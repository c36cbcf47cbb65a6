import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { transientReasons } from "../../src/core/errors.ts";
import type { Limits } from "../../src/core/message.ts";
import type { Notifier } from "../../src/core/notifier.ts";
import { alertmanager } from "../../src/notifiers/alertmanager.ts";
import { feishu } from "../../src/notifiers/feishu.ts";
import { matrix } from "../../src/notifiers/matrix.ts";
import { otlp } from "../../src/notifiers/otlp.ts";
import { notifierLoaders } from "../../src/notifiers/registry.ts";
import { attempt } from "../../src/pipeline/attempt.ts";
import { render } from "../../src/pipeline/render.ts";
import { clean } from "../../src/text/clean.ts";
import { makeConfig } from "../world/delivery-world.ts";
import { fixDate } from "../world/fixed-date.ts";
import { readAllJournal } from "../world/home.ts";
import { answer, answerJson, type Behaviour, inTurn, startHostileServer } from "../world/hostile-server.ts";
import { localPorts } from "../world/local-ports.ts";
import { startAlertmanagerServer } from "./alertmanager-server.ts";
import { startFeishuServer } from "./cases/feishu.ts";
import { startMatrixServer } from "./cases/matrix.ts";
import { configuredFor, type DeliveryResult, deliverTo, throughPipeline } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import {
  arbitraryText,
  collectReasons,
  expectFailure,
  expectRead,
  listForms,
} from "./contract/describe-http-notifier.ts";
import { describeLifeStory, LifeStory } from "./contract/life-story.ts";
import { type Cases, canary, event, type NotifierCase } from "./contract/notifier-case.ts";
import { makeMessage } from "./contract/way.ts";

const notifiers = await Promise.all(
  Object.entries(notifierLoaders).map(async ([name, load]) => {
    const hasCases = existsSync(join(import.meta.dirname, `cases/${name}.ts`));
    const cases: Partial<Cases> = hasCases ? await import(`./cases/${name}.ts`) : {};
    const { httpCase, httpCases = httpCase ? [httpCase] : [], changeCase } = cases;
    return { name, notifier: (await load()) as Notifier, httpCases, changeCase };
  }),
);

describe.each(notifiers)("the worker's messages by $name", ({ notifier, httpCases, changeCase }) => {
  for (const notifierCase of httpCases) {
    describe(notifierCase.variant ?? "to a server", () => describeDelivery(notifier, notifierCase));
  }

  if (changeCase) {
    describeChanges(notifier, changeCase, throughPipeline);
    describeLifeStory(notifier, changeCase);
  }

  test("are cut to the notifier's limits as in its own test, which reads them as people do", () => {
    const templates = { Notification: { title: "{message}", body: "{message}" } };
    const longest = (limits: Limits) => "👩‍👩‍👧‍👦<&*_@".repeat(Math.min(4_000, limits.body / 4));
    const check = (words: string, { limits }: Pick<Notifier, "limits">) => {
      const message = render({ event: { ...event, message: clean(words) }, facts: {} }, { limits, templates });
      expect(message).toEqual(makeMessage(limits, { title: words, body: words }));
    };
    const mentions = httpCases.flatMap((notifierCase) => notifierCase.mentions);
    const forms = listForms(notifier);
    for (const form of forms) for (const words of [...mentions, longest(form.limits)]) check(words, form);
    fc.assert(fc.property(arbitraryText(mentions), fc.constantFrom(...forms), check), { numRuns: 30 });
  });
});

function describeDelivery(notifier: Notifier, notifierCase: NotifierCase): void {
  fixDate(); // Standard Webhooks refuses what is five minutes old
  const deliver = (behaviour: Behaviour, changes: Parameters<typeof deliverTo>[3] = {}) =>
    deliverTo(behaviour, notifier, notifierCase, changes);

  test("are posted once, and the reader sees the rendered text", async () => {
    const { delivery, requests, lines } = await deliver(notifierCase.success);
    expect(lines).toMatchObject([{ status: "sent", notifier: "it", attempt: 1 }]);
    expect(delivery.status).toBe("sent");
    expectRead(requests, notifierCase);
  });

  test("fail with the right reasons", async () => {
    const send = async (...parts: Parameters<typeof deliver>) => {
      const result = await deliver(...parts);
      expectSettled(result);
      return result;
    };
    expect(await collectReasons(notifier, notifierCase, send)).toEqual([]);
  });

  if (notifier.fallbackLimits) {
    test("are sent once in the fallback form if markup or size is rejected", async () => {
      const { requests, lines } = await deliver(inTurn(answer(413, {}, ""), notifierCase.success));
      expect(requests).toHaveLength(2);
      expect(lines).toMatchObject([{ status: "sent", reason: expect.stringMatching(/^shortened and without markup/) }]);
      for (const request of requests) notifierCase.valid(request);
    });

    test("fail if the fallback form is rejected as well", async () => {
      const result = await deliver(answer(400, {}, ""));
      expect(result.requests).toHaveLength(2);
      expectSettled(result);
      expectFailure(result, "rejected");
    });
  }

  test("have mentions without effect, and no secret of the event", async () => {
    const message = `${notifierCase.mentions.join("\n")}\nsk-ant-api03-${"x".repeat(90)}AA`;
    const { requests } = await deliver(notifierCase.success, { message });
    const masked = makeMessage(notifier.limits, { title: "shop · Claude Code needs you", body: clean(message) });
    const [request] = requests;
    if (!request) throw new Error("no request");
    notifierCase.valid(request);
    const body = masked.body.replace(/sk-ant-\S+$/, "[secret]");
    expect(notifierCase.read(request, masked)).toEqual({ title: masked.title, body });
    expect(JSON.stringify(request)).not.toContain("x".repeat(20));
  });
}

/** Expects that a failed delivery stays open exactly if another attempt may succeed. */
function expectSettled({ reason, lines: [line], delivery }: DeliveryResult): void {
  const isTransient = reason !== undefined && transientReasons.includes(reason);
  expect(line?.status).toBe(isTransient ? "retrying" : "failed");
  expect(delivery.status).toBe(isTransient ? "open" : "failed");
}

test("the journal has a collector's own words about a refused record, with likely secrets masked", async () => {
  const errorMessage = `attribute too long, key sk-ant-api03-${"x".repeat(90)}AA`;
  const refusal = answerJson(200, { partialSuccess: { rejectedLogRecords: "1", errorMessage } });
  const { lines } = await deliverTo(refusal, otlp, { settings: (endpoint) => ({ endpoint }) });
  expect(lines[0]?.reason).toMatch(/^rejected: .* did not accept the log record; it said: attribute too long, key /);
  expect(lines[0]?.reason).not.toContain("xxxx");
});

test("a Feishu message that is too long after double escaping is sent in its shorter form", async () => {
  const server = await startFeishuServer();
  onTestFinished(() => server.close());
  const target = { notifier: feishu, settings: server.settings };
  const result = await throughPipeline.send(target, { message: '"'.repeat(20_000) });
  expect(result.failure).toBeUndefined();
  expect(result.note).toMatch(/^shortened/);
  expect((await server.listActive())[0]?.body).toMatch(/^"{400,}… \(\+\d+ characters\)$/);
});

test("an alert is resolved though one of two servers is down, as the journal says", async () => {
  const node = await startAlertmanagerServer();
  const other = await startHostileServer({ "*": answer(503, {}, "") });
  onTestFinished(async () => void (await Promise.all([node.close(), other.close()])));
  const servers = [node.origin, other.origin];
  const story = await LifeStory.of(await configuredFor(alertmanager, { servers, token: canary }));
  await story.asks("make");
  expect(node.alerts()).toHaveLength(1);
  await story.prompts();
  expect(node.alerts()).toEqual([]);
  const reason = `a server has not taken it: ${other.origin} answered 503`;
  const lines = readAllJournal(join(story.root, "journal")).filter(({ notifier }) => notifier !== undefined);
  expect(lines).toMatchObject([
    { status: "sent", reason },
    { status: "withdrawn", reason },
  ]);
});

test("a repeat of an event below the visible Matrix message is a separate message", async () => {
  const server = await startMatrixServer();
  onTestFinished(() => server.close());
  const configured = await configuredFor(matrix, server.settings);
  const context = { config: await makeConfig({}), ports: localPorts(), keepSecret() {} };
  const send = (step?: number) =>
    attempt({ event, facts: {}, configured, thread: { key: "0".repeat(32) }, ...(step && { step }) }, context);
  const { receipt: first } = await send();
  expect((await send()).receipt).toEqual(first); // its answer was lost
  const { receipt: second } = await send(1);
  expect(second).not.toEqual(first);
  expect((await send(1)).receipt).toEqual(second);
  expect(await server.listActive()).toHaveLength(2);
});
