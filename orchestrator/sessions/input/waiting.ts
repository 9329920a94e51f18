/** Accepted input on its way into the conversation. */
import type { VaultEntry } from "../../contract/session/input.ts";
import type { SessionImage } from "../../contract/session/updates.ts";

export const waitingKinds = ["message", "command", "lisp", "native-lisp"] as const;

/**
 * One accepted input. `command`: slash text that is executed when its turn comes. `native-lisp`: a form of a scheduled wakeup, about which nobody
 * is asked.
 */
export type Waiting = {
  readonly inputId: string;
  readonly kind: (typeof waitingKinds)[number];
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
    case "native-lisp":
      return { type: item.type, source: item.source };
  }
}

/** Everything that waits in a session, and its vault. */
export type StoredInputs = {
  readonly steering: readonly Waiting[];
  readonly queued: readonly Waiting[];
  readonly vault: readonly VaultItem[];
};
