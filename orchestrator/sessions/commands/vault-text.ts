/** The text behind `/vault-contents` as what it replaces: one entry, or all of them. Pure. */
import { type DataForm, keyword, listElements, readDataForms } from "../../../lisp/data-forms/index.ts";
import { AutolithError, failureOf } from "../../contract/failure.ts";
import { type VaultEntry, vaultEntryLimit, vaultEntrySchema } from "../../contract/session/input.ts";

const limits = { maxBytes: 2_097_152, maxDepth: 8, maxNodes: 4_096, maxStringCharacters: 524_288 };

/** The entries that are there after `text`: `INDEX ENTRY` replaces one, `(ENTRY …)` all, `nil` leaves none. Throws `invalid-argument`. */
export function editedVault(text: string, present: readonly VaultEntry[]): readonly VaultEntry[] {
  const [first, second, ...more] = formsOf(text);
  if (typeof first === "number" && second !== undefined && more.length === 0) {
    if (!Number.isInteger(first) || first < 0 || first >= present.length)
      throw refused(`The vault has ${present.length} entries, counted from 0; there is none at ${first}.`);
    return present.with(first, entryOf(second));
  }
  const list = first === undefined || second !== undefined ? undefined : listElements(first);
  if (list === undefined)
    throw refused(
      'vault-contents takes nothing, INDEX (:message "TEXT"), ((:message "TEXT") (:command "/NAME TEXT") …), or nil for none.',
    );
  if (list.length > vaultEntryLimit)
    throw refused(`The vault takes ${vaultEntryLimit} entries, not ${list.length}.`);
  return list.map(entryOf);
}

function formsOf(text: string): readonly DataForm[] {
  try {
    return readDataForms(text, { limits });
  } catch (error) {
    throw refused(`The entries cannot be read: ${failureOf(error).message}`);
  }
}

function entryOf(form: DataForm): VaultEntry {
  const [kind, text, ...more] = listElements(form) ?? [];
  const entry =
    kind === keyword("message")
      ? { type: "message", input: text }
      : kind === keyword("command")
        ? { type: "command", text }
        : kind === keyword("lisp")
          ? { type: "lisp", source: text }
          : kind === keyword("native-lisp")
            ? { type: "native-lisp", source: text }
            : undefined;
  const checked = vaultEntrySchema.safeParse(entry);
  if (checked.success && more.length === 0) return checked.data;
  throw refused(
    'An entry is (:message "TEXT"), (:command "/NAME TEXT"), (:lisp "FORM") or (:native-lisp "FORM"), with a text that is not empty.',
  );
}

function refused(message: string): AutolithError {
  return new AutolithError("invalid-argument", message);
}
