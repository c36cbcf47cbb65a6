import packageFile from "../../package.json" with { type: "json" };

/** Oldest version of Node that beckon runs on, such as `20.19`. */
export const oldestNode = packageFile.engines.node.replace(">=", "");
