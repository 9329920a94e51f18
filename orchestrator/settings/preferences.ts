/** Saved preferences: `(:preferences :version 8 …)` in the state root (facts G). Keys this version does not know are left alone. */
import {
  type DataForm,
  Keyword,
  keyword,
  listElements,
  prettyPrintDataForm,
  readDataForm,
} from "../../lisp/data-forms/index.ts";
import { AutolithError } from "../contract/failure.ts";
import { withFileLock } from "../record/file-lock.ts";
import { readIfPresent } from "../record/present-file.ts";
import { publishFile } from "../record/publication.ts";

const head = keyword("preferences");
const limits = { maxBytes: 262_144, maxDepth: 32, maxNodes: 8_192, maxStringCharacters: 65_536 };

/** The preference version that is read. */
export const preferencesVersion = 8;

/**
 * Values by upper-case name; empty when there is no file. Rejects with `preferences-unreadable` (naming the file) when the file is not
 * a version-8 preferences form.
 */
export async function readPreferences(path: string): Promise<ReadonlyMap<string, DataForm>> {
  try {
    const bytes = await readIfPresent(path);
    return bytes === undefined ? new Map() : entries(readDataForm(bytes, { limits }));
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Changes of this process, one after the other. */
let writing: Promise<void> = Promise.resolve();

/**
 * Saves one value; everything else in the file stays, keys that this version does not know too. The file is replaced atomically. Rejects
 * with `preferences-unreadable` rather than overwriting what it cannot read, and with `locked` when another host holds the file.
 */
export function writePreference(path: string, name: string, value: DataForm): Promise<void> {
  const written = writing.then(() =>
    withFileLock(path, async () => {
      const values = new Map(await readPreferences(path));
      values.set("VERSION", preferencesVersion).set(name.toUpperCase(), value);
      const form = [head, ...[...values].flatMap(([key, each]): DataForm[] => [keyword(key), each])];
      await publishFile(path, prettyPrintDataForm(form));
    }),
  );
  writing = written.catch(() => undefined);
  return written;
}

function entries(form: DataForm): ReadonlyMap<string, DataForm> {
  const list = listElements(form) ?? [];
  if (list[0] !== head) throw new TypeError("it is not a (:preferences …) form");
  const values = new Map<string, DataForm>();
  for (let index = 1; index < list.length; index += 2) {
    const [name, value] = [list[index], list[index + 1]];
    if (!(name instanceof Keyword) || value === undefined)
      throw new TypeError("its keys and values do not come in pairs");
    values.set(name.name, value);
  }
  if (values.get("VERSION") !== preferencesVersion)
    throw new TypeError(
      `its :version is not ${preferencesVersion}; start a 0.53 release once to convert older files`,
    );
  return values;
}

function unreadable(path: string, cause: unknown): AutolithError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AutolithError("preferences-unreadable", `The preferences in ${path} cannot be used: ${reason}`, {
    cause,
  });
}
