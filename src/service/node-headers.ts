import packageFile from "../../package.json" with { type: "json" };

/** Makes the headers that name the runtime, and the content codings that the HTTP port on Node's client decodes. */
export function nodeHeaders() {
  return {
    "accept-encoding": "gzip, br, deflate",
    "user-agent": `beckon/${packageFile.version} node/${process.versions.node}`,
  };
}
