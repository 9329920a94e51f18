/** Entries of the recovery input vault as Lisp writes them: `(:message INPUT)`, `(:command TEXT)`, `(:lisp SOURCE)`, `(:native-lisp SOURCE)`. Pure. */
import { AutolithError } from "../contract/failure.ts";
import type { LispJson } from "../contract/lisp-image.ts";
import { type VaultEntry, inputCharacterLimit, vaultEntryLimit } from "../contract/session/input.ts";

/** The entries. Throws `invalid-argument`. */
export function vaultEntries(list: LispJson | undefined): readonly VaultEntry[] {
  if (list === false) return [];
  if (!Array.isArray(list)) throw malformed("a list of entries", list);
  if (list.length > vaultEntryLimit)
    throw new AutolithError(
      "invalid-argument",
      `The vault takes ${vaultEntryLimit} entries, not ${list.length}.`,
    );
  return (list as readonly LispJson[]).map(vaultEntry);
}

function vaultEntry(form: LispJson): VaultEntry {
  const [type, text] = Array.isArray(form) ? (form as readonly LispJson[]) : [];
  if (
    typeof text !== "string" ||
    text === "" ||
    text.length > inputCharacterLimit ||
    !Array.isArray(form) ||
    form.length !== 2
  )
    throw malformed(`(KIND TEXT) with a text of 1 to ${inputCharacterLimit} characters`, form);
  switch (type) {
    case "message":
      return { type, input: text };
    case "command":
      return { type, text };
    case "lisp":
    case "native-lisp":
      return { type, source: text };
    default:
      throw malformed(":message, :command, :lisp or :native-lisp and a text", form);
  }
}

function malformed(expected: string, got: LispJson | undefined): AutolithError {
  return new AutolithError(
    "invalid-argument",
    `An entry of the vault is ${expected}, not ${JSON.stringify(got)?.slice(0, 200)}.`,
  );
}
