import { plainNotifierSettings } from "./notifier-table.ts";
import { templatesSchema } from "./templates-table.ts";

/** Settings of every entry of `notifiers`, in addition to the notifier's own settings. */
export const commonNotifierSettings = plainNotifierSettings.extend({
  templates: templatesSchema.optional().describe("Message templates for this notifier only."),
});
