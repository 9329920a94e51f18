/** The files of waiting input: `pending-inputs/<conversation>.sexp` and `recovery-input-vault/<conversation>.sexp` in the state root. */
import { rm } from "node:fs/promises";
import {
  type DataForm,
  type DataLimits,
  PlistReader,
  keyword,
  listElements,
  printDataForm,
  readDataForm,
} from "../../../lisp/data-forms/index.ts";
import { AutolithError } from "../../contract/failure.ts";
import type { ConversationId } from "../../contract/identifiers.ts";
import type { SessionImage } from "../../contract/session/updates.ts";
import { readIfPresent } from "../../record/present-file.ts";
import { publishFile } from "../../record/publication.ts";
import { type StoredInputs, type VaultItem, type Waiting, waitingKinds } from "./waiting.ts";

/** Bounds of the files; the bounds of admission keep them well below. */
const limits: DataLimits = {
  maxBytes: 134_217_728,
  maxDepth: 16,
  maxNodes: 65_536,
  maxStringCharacters: 16_777_216,
};

export class InputFile {
  readonly #pendingPath: string;
  readonly #vaultPath: string;
  readonly #id: ConversationId;
  #vaultText = "";

  constructor(stateRoot: string, id: ConversationId) {
    this.#id = id;
    this.#pendingPath = `${stateRoot}/pending-inputs/${id}.sexp`;
    this.#vaultPath = `${stateRoot}/recovery-input-vault/${id}.sexp`;
  }

  /** What is stored. Rejects with `pending-inputs-unreadable` (naming the file) for anything that is not what {@link write} writes. */
  async read(): Promise<StoredInputs> {
    const pending = await readForm(this.#pendingPath);
    const vault = await readForm(this.#vaultPath);
    try {
      const waiting = pending === undefined ? { steering: [], queued: [] } : waitingOf(pending);
      return { ...waiting, vault: vault === undefined ? [] : vaultOf(vault) };
    } catch (error) {
      throw unreadable(this.#pendingPath, error);
    }
  }

  /** Replaces both files, each atomically and synced. The vault goes first: input is rather in both than in none. */
  async write({ steering, queued, vault }: StoredInputs): Promise<void> {
    const vaultText = printDataForm([
      keyword("recovery-input-vault"),
      ...[keyword("version"), 1],
      ...[keyword("conversation-id"), this.#id],
      ...[keyword("captures"), vault.map(vaultForm)],
    ]);
    if (vaultText !== this.#vaultText) {
      if (vault.length > 0) await publishFile(this.#vaultPath, `${vaultText}\n`);
      else await rm(this.#vaultPath, { force: true });
      this.#vaultText = vaultText;
    }
    if (steering.length === 0 && queued.length === 0) {
      await rm(this.#pendingPath, { force: true });
      return;
    }
    const pendingText = printDataForm([
      keyword("pending-inputs"),
      ...[keyword("version"), 2],
      ...[keyword("conversation-id"), this.#id],
      ...[keyword("steering"), steering.map(waitingForm)],
      ...[keyword("work"), queued.map(waitingForm)],
    ]);
    await publishFile(this.#pendingPath, `${pendingText}\n`);
  }
}

async function readForm(path: string): Promise<DataForm | undefined> {
  try {
    const bytes = await readIfPresent(path);
    return bytes === undefined ? undefined : readDataForm(bytes, { limits });
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, cause: unknown): AutolithError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AutolithError(
    "pending-inputs-unreadable",
    `The waiting input in ${path} cannot be read: ${reason}. Move the file away to open the conversation without it.`,
    { cause },
  );
}

function waitingForm({ inputId, kind, text, images, acceptedAt }: Waiting): DataForm {
  return [
    ...[keyword("identifier"), inputId],
    ...[keyword("kind"), keyword(kind)],
    ...[keyword("accepted-at"), acceptedAt],
    ...[keyword("content"), text],
    ...(images.length === 0 ? [] : [keyword("images"), imageForms(images)]),
  ];
}

function imageForms(images: readonly SessionImage[]): DataForm {
  return images.map(({ mimeType, data }): DataForm => [mimeType, data]);
}

function waitingOf(form: DataForm): Pick<StoredInputs, "steering" | "queued"> {
  const list = listElements(form) ?? [];
  const reader = new PlistReader(list, 1, {
    what: "the pending inputs",
    keys: ["version", "conversation-id", "steering", "work"],
  });
  reader.integer("version", { minimum: 2, maximum: 2 });
  return { steering: reader.list("steering").map(readWaiting), queued: reader.list("work").map(readWaiting) };
}

function readWaiting(form: DataForm): Waiting {
  const reader = PlistReader.of(form, {
    what: "a pending input",
    keys: ["identifier", "kind", "accepted-at", "content", "images"],
  });
  return {
    inputId: reader.string("identifier", { minCharacters: 1, maxCharacters: 128 }),
    kind: reader.keyword("kind", waitingKinds),
    acceptedAt: reader.integer("accepted-at", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    text: reader.string("content", {}),
    images: reader.has("images") ? reader.list("images").map(imageOf) : [],
  };
}

function imageOf(form: DataForm): SessionImage {
  const [mimeType, data] = listElements(form) ?? [];
  if (typeof mimeType !== "string" || typeof data !== "string")
    throw new TypeError("an image is a list of its type and its data");
  return { mimeType: mimeType as SessionImage["mimeType"], data };
}

function vaultForm(entry: VaultItem): DataForm {
  switch (entry.type) {
    case "message": {
      const { input, images = [] } = entry;
      return [keyword("message"), input, ...(images.length === 0 ? [] : [imageForms(images)])];
    }
    case "command":
      return [keyword("command"), entry.text];
    case "lisp":
    case "native-lisp":
      return [keyword(entry.type), entry.source];
  }
}

function vaultOf(form: DataForm): readonly VaultItem[] {
  const reader = new PlistReader(listElements(form) ?? [], 1, {
    what: "the recovery input vault",
    keys: ["version", "conversation-id", "captures"],
  });
  reader.integer("version", { minimum: 1, maximum: 1 });
  return reader.list("captures").map((capture) => {
    const [type, text, images] = listElements(capture) ?? [];
    if (typeof text !== "string") throw new TypeError("a vault entry is a list of its kind and its text");
    if (type === keyword("message")) {
      const shown = (listElements(images ?? []) ?? []).map(imageOf);
      return { type: "message", input: text, ...(shown.length === 0 ? {} : { images: shown }) };
    }
    if (type === keyword("command")) return { type: "command", text };
    if (type === keyword("lisp")) return { type: "lisp", source: text };
    if (type === keyword("native-lisp")) return { type: "native-lisp", source: text };
    throw new TypeError("the kind of a vault entry is :message, :command, :lisp or :native-lisp");
  });
}
