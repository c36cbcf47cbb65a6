// `node scripts/check-release.mjs v1.2.3`: fails if the tag is not the package's version, the changelog has no section
// for it, or a file still has the placeholder `OWNER/` in the repository's address, which package.json gives to all.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const read = (file) => readFileSync(join(root, file), "utf8");
const { version } = JSON.parse(read("package.json"));
const addressed = ["package.json", "README.md", "CHANGELOG.md", ".github/ISSUE_TEMPLATE/config.yml"];
const tag = process.argv[2] ?? "";
const problems = [
  tag !== `v${version}` && `The tag is ${tag || "missing"}, and package.json says ${version}.`,
  !read("CHANGELOG.md").includes(`## [${version}]`) && `CHANGELOG.md has no section [${version}].`,
  ...addressed.filter((file) => read(file).includes("/OWNER/")).map((file) => `${file} has the placeholder OWNER.`),
].filter(Boolean);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
