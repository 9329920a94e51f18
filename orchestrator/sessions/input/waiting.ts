/** Accepted input on its way into the conversation. */
import type { VaultEntry } from "../../contract/session/input.ts";
import type { SessionImage } from "../../contract/session/updates.ts";

/** One accepted input. `command`: slash text that is executed when its turn comes. */
export type Waiting = {
  readonly inputId: string;
  readonly kind: "message" | "command" | "lisp";
  readonly text: string;
  readonly images: readonly SessionImage[];
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
};

/** An entry of the vault with the images of its message, which people do not edit. */
export type VaultItem = VaultEntry & { readonly images?: readonly SessionImage[] };

/** The entry as people see and edit it. */
export function withoutImages(item: VaultItem): VaultEntry {
  switch (item.type) {
    case "message":
      return { type: "message", input: item.input };
    case "command":
      return { type: "command", text: item.text };
    case "lisp":
      return { type: "lisp", source: item.source };
  }
}

/** Everything that waits in a session, and its vault. */
export type StoredInputs = {
  readonly steering: readonly Waiting[];
  readonly queued: readonly Waiting[];
  readonly vault: readonly VaultItem[];
};
