/** Output of a running form: shown to clients in shares, a few in a second, and kept up to its bound for the record. */
import { formOutputCharacters } from "../contract/session/forms.ts";
import type { SessionCore } from "../sessions/session-core.ts";

/** Time between two shares, in milliseconds. */
const shareMs = 50;

export class FormOutput {
  readonly #core: Pick<SessionCore, "update" | "environment">;
  readonly #formId: string;
  #kept = "";
  #omitted = 0;
  #waiting: { stream: "output" | "error"; text: string }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(core: Pick<SessionCore, "update" | "environment">, formId: string) {
    this.#core = core;
    this.#formId = formId;
  }

  write(stream: "output" | "error", text: string): void {
    const kept = text.slice(0, Math.max(0, formOutputCharacters - this.#kept.length));
    this.#kept += kept;
    this.#omitted += text.length - kept.length;
    if (kept === "") return;
    const last = this.#waiting.at(-1);
    if (last?.stream === stream) last.text += kept;
    else this.#waiting.push({ stream, text: kept });
    this.#timer ??= setTimeout(() => this.#share(), shareMs);
  }

  /** No more comes: what was written, and how many characters of it are left out. */
  end(): { readonly text: string; readonly omitted: number } {
    this.#share();
    return { text: this.#kept, omitted: this.#omitted };
  }

  #share(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { environment } = this.#core;
    for (const { stream, text } of this.#waiting.splice(0))
      this.#core.update({
        type: "form-output",
        formId: this.#formId,
        stream,
        text: environment.withoutSecrets(text),
        at: environment.now(),
      });
  }
}
