import { describe, expectTypeOf, test } from "vitest";
import type * as service from "../../src/service.ts";

/** Only types: `npm run typecheck` fails where these are wrong. */

declare const client: service.ServiceClient;
const days = { startDate: "2026-06-14", endDate: "2026-06-14" };
type ItemOf<List> =
  List extends service.List<infer Item, never> ? Item : List extends AsyncIterable<infer Item> ? Item : never;
const item = <List>(_: () => List) => expectTypeOf<ItemOf<List>>();

describe("the type of an item", () => {
  test("of tokens follows from groupBy", () => {
    item(() => client.analytics.tokens(days)).toEqualTypeOf<service.CreditsRow>();
    item(() => client.analytics.tokens({ ...days, groupBy: undefined })).toEqualTypeOf<service.CreditsRow>();
    item(() => client.analytics.tokens({ ...days, groupBy: "model" })).toEqualTypeOf<service.CreditsByModelRow>();
  });

  test("of tools follows from groupBy", () => {
    item(() => client.analytics.tools(days)).toEqualTypeOf<service.ToolUsageRow>();
    item(() => client.analytics.tools({ ...days, groupBy: "tool_name" })).toEqualTypeOf<service.ToolUsageByToolRow>();
  });

  test("of activity follows from groupBy", () => {
    item(() => client.analytics.activity(days)).toEqualTypeOf<service.ActivityRow>();
    item(() => client.analytics.activity({ ...days, groupBy: "client" })).toEqualTypeOf<service.ActivityByClientRow>();
  });

  test("is either row type if groupBy is only known at run time", () => {
    const groupBy = "model" as "model" | undefined;
    item(() => client.analytics.tokens({ ...days, groupBy })).toEqualTypeOf<
      service.CreditsRow | service.CreditsByModelRow
    >();
  });

  test("of every other list is its row", () => {
    item(() => client.analytics.productivity(days)).toEqualTypeOf<service.ProductivityRow>();
    item(() => client.analytics.users(days)).toEqualTypeOf<service.UserRow>();
    item(() => client.readiness.reports()).toEqualTypeOf<service.ReadinessReport>();
    item(() => client.enterpriseControls.history()).toEqualTypeOf<service.ControlChange>();
    item(() => client.sessions.list()).toEqualTypeOf<service.ListedSession>();
    item(() => client.sessions.messages("s")).toEqualTypeOf<service.ListedMessage>();
    item(() => client.users.list()).toEqualTypeOf<service.OrganizationUser>();
  });
});

test("every parameter and body has a name of its own", () => {
  type First<Verb extends (...args: never[]) => unknown> = Parameters<Verb>[0];
  expectTypeOf<First<typeof client.analytics.users>>().toEqualTypeOf<service.UserMetricsQuery>();
  expectTypeOf<First<typeof client.analytics.productivity>>().toEqualTypeOf<service.ProductivityQuery>();
  expectTypeOf<First<typeof client.sessions.create>>().toEqualTypeOf<service.NewSession>();
  expectTypeOf<Parameters<typeof client.computers.update>[1]>().toEqualTypeOf<service.ComputerChange>();
  expectTypeOf<service.TokensQuery["groupBy"]>().toEqualTypeOf<"model" | undefined>();
});

describe("the compiler", () => {
  test("rejects values of groupBy, parameters and fields that are not documented", () => {
    // @ts-expect-error tools are grouped by their names
    void (() => client.analytics.tools({ ...days, groupBy: "model" }));
    // @ts-expect-error productivity is not grouped
    void (() => client.analytics.productivity({ ...days, groupBy: "model" }));
    // @ts-expect-error both dates are required
    void (() => client.analytics.users({ startDate: "2026-06-14" }));
    // @ts-expect-error the service filters by user, assistant and tool
    void (() => client.sessions.messages("s", { role: "system" }));
    // @ts-expect-error token counts are in replies alone
    void (() => client.sessions.create({ computerId: "c", sessionSettings: { tokenUsage: {} } }));
    // @ts-expect-error a misspelt field of a row
    void ((row: service.UserRow) => row.tool_call);
  });

  test("accepts undocumented values of enumerations, and completes the documented ones", () => {
    expectTypeOf<"a level of next year">().toExtend<service.DelegationLevel>();
    expectTypeOf<"auto-high">().toExtend<service.DelegationLevel>();
    expectTypeOf<number>().not.toExtend<service.DelegationLevel>();
  });
});
