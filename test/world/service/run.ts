/** `npm run sandbox`: runs the documented service on this machine until interrupted. */
import { jwt, keys } from "../../../src/fake-service/access.ts";
import { type SandboxOptions, startSandbox } from "./server.ts";

const [base, app] = process.argv.slice(2).map(Number);
const options: SandboxOptions = base !== undefined && app !== undefined ? { ports: [base, app] } : {};
const { baseUrl, appUrl, state } = await startSandbox(options);
console.log(`baseUrl  ${baseUrl}\nappUrl   ${appUrl}\n`);
for (const [role, key] of Object.entries(keys)) console.log(`${role.padEnd(8)} ${key}`);
console.log(`jwt      ${jwt}\n`);
console.log(`session  ${state.sessions[0]?.sessionId}\ncomputer ${[...state.computers.keys()].join(" ")}\n`);
console.log(`curl -H "Authorization: Bearer ${keys.owner}" "${baseUrl}/api/v0/organization/users?limit=2"`);
