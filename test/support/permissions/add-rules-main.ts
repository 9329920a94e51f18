/** A host process that approves commands for good and saves a setting, as fast as it can: `add-rules STATE-ROOT NAME COUNT`. */
import { keyword } from "../../../lisp/data-forms/index.ts";
import { PermissionRules } from "../../../orchestrator/permissions/permission-rules.ts";
import { writePreference } from "../../../orchestrator/settings/preferences.ts";

const [stateRoot = "", name = "", count = ""] = process.argv.slice(2);
const rules = new PermissionRules(stateRoot);
for (let index = 0; index < Number(count); index += 1)
  await rules.add({ command: `${name} ${index}`, directory: "/work" });
await writePreference(`${stateRoot}/preferences.sexp`, name, keyword("saved"));
