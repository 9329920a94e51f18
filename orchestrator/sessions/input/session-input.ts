/** How input comes into a session: prompts, steering, follow-ups, slash commands among them, and the recovery vault. */
import { randomUUID } from "node:crypto";
import { AutolithError, failureOf } from "../../contract/failure.ts";
import type { Admission, InputHistoryPage, PromptInput, VaultEntry } from "../../contract/session/input.ts";
import type { PromptSubmission } from "../../contract/session/service.ts";
import type { SessionImage } from "../../contract/session/updates.ts";
import { slashText } from "../commands/command-table.ts";
import type { Invoker } from "../commands/invoker.ts";
import type { SessionCore } from "../session-core.ts";
import type { SessionPrompt } from "../session-prompt.ts";
import { titleFromPrompt } from "../titles.ts";
import type { TurnEngine } from "../turns/turn-engine.ts";
import { InputHistory, recalledInputLimit } from "./input-history.ts";
import { checkForm, routedText, runsDuringTurn } from "./input-routing.ts";
import { entryText } from "./pending-inputs.ts";
import { promptContent } from "./prompt-text.ts";
import type { Waiting } from "./waiting.ts";

/** Inputs of a page of the history when nothing is said. */
const recalledInputs = 200;

export class SessionInput {
  readonly #core: SessionCore;
  readonly #history: InputHistory;
  readonly #engine: TurnEngine;
  readonly #invoker: Pick<Invoker, "invokeText" | "runNow">;
  readonly #prompt: Pick<SessionPrompt, "forms" | "background" | "busyOf">;

  constructor(
    core: SessionCore,
    engine: TurnEngine,
    invoker: Pick<Invoker, "invokeText" | "runNow">,
    prompt: Pick<SessionPrompt, "forms" | "background" | "busyOf">,
  ) {
    this.#prompt = prompt;
    this.#core = core;
    this.#history = new InputHistory({
      directory: `${core.environment.dataRoot}/conversations`,
      id: core.id,
      records: () => core.log.records,
    });
    this.#engine = engine;
    this.#invoker = invoker;
  }

  async prompt(input: PromptInput): Promise<PromptSubmission> {
    const content = promptContent(input);
    const slash = routedText(content.text);
    if (slash.kind === "command") {
      const invocation = await this.#invoker.invokeText(slash.name, slash.input);
      await this.#remember("command", content.text);
      return { kind: "command", invocation };
    }
    if (slash.kind === "form") return this.#form(slash.source, input);
    if (slash.kind === "background-form") return this.#backgroundForm(slash.source, input);
    const inputId = input.inputId ?? `prompt-${randomUUID()}`;
    const waiting = this.#waiting("message", { ...content, text: slash.text }, inputId);
    if (this.#isDelivered(inputId))
      throw new AutolithError("duplicate-input", `The input ${inputId} is in the conversation already.`);
    await titleFromPrompt(this.#core, waiting.text);
    const turn = await this.#engine.start("prompt", [waiting]);
    await this.#remember("message", waiting.text);
    return { kind: "turn", inputId, epoch: turn.epoch, finished: turn.finished };
  }

  async submit(delivery: "steering" | "queued", input: PromptInput): Promise<Admission> {
    const content = promptContent(input);
    const routed = routedText(content.text);
    if (routed.kind === "background-form") {
      await this.#backgroundForm(routed.source, input);
      return { accepted: true, delivery, inputId: input.inputId ?? "background-form" };
    }
    if (routed.kind === "form") return this.#submitForm(delivery, routed.source, input);
    const isCommand = routed.kind === "command";
    if (routed.kind === "text") await titleFromPrompt(this.#core, routed.text);
    const text = routed.kind === "text" ? routed.text : content.text;
    const admission = await this.#admit(
      isCommand ? "queued" : delivery,
      { ...content, text },
      isCommand ? "command" : "message",
      input.inputId,
    );
    await this.#remember(isCommand ? "command" : "message", text);
    return admission;
  }

  /** Admits a message as it is: nothing in it is a command or a form. */
  async say(text: string, images: readonly SessionImage[]): Promise<Admission> {
    await titleFromPrompt(this.#core, text);
    return this.#admit("steering", { text, images }, "message", undefined);
  }

  /** Evaluates a form now, or queues it when a turn runs that it must not disturb. */
  async #form(source: string, { columns, inputId }: PromptInput): Promise<PromptSubmission> {
    checkForm(source);
    await this.#engine.handover;
    const atOnce = runsDuringTurn(source, (operator) => this.#prompt.busyOf(operator));
    if ((this.#engine.running !== undefined || this.#engine.isWorkingOff) && !atOnce) {
      await this.#admit("queued", { text: source, images: [] }, "lisp", inputId);
      await this.#remember("lisp", source);
      return {
        kind: "command",
        invocation: { text: "The form waits until what was before it is over.", delivery: "queued" },
      };
    }
    const submitted = await this.#prompt.forms.submit(source, {
      columns,
      inputId,
      atOnce: this.#engine.running !== undefined,
    });
    await this.#remember("lisp", source);
    return { kind: "form", ...submitted };
  }

  /** Evaluates a form beside everything else, as a job: whatever runs. */
  async #backgroundForm(source: string, { columns, inputId }: PromptInput): Promise<PromptSubmission> {
    checkForm(source);
    const { job } = await this.#prompt.background.submit(source, { columns, inputId });
    await this.#remember("lisp", `? ${source}`);
    const number = job.name.replace(/^exec:/, "");
    const text = `${job.name} evaluates the form. (job.wait :id ${number} :timeout-seconds 600) waits for it and (job.cancel :id ${number}) cancels it; what comes of it is shown here.`;
    return { kind: "command", invocation: { text } };
  }

  async #submitForm(delivery: "steering" | "queued", source: string, input: PromptInput): Promise<Admission> {
    if (delivery === "steering") {
      const submission = await this.#form(source, input);
      if (submission.kind === "form") return { accepted: true, delivery, inputId: submission.formId };
      return { accepted: true, delivery: "queued", inputId: input.inputId ?? "queued-form" };
    }
    checkForm(source);
    const admission = await this.#admit("queued", { text: source, images: [] }, "lisp", input.inputId);
    await this.#remember("lisp", source);
    return admission;
  }

  /**
   * Evaluates a form whose turn has come; resolves at its end. What comes of it is in the record. `taken` is told when it has its place among
   * the forms.
   */
  async runWaitingForm(source: string, asks: boolean, taken: () => void): Promise<void> {
    try {
      const { finished } = await this.#prompt.forms.submit(source, { asks });
      taken();
      await finished;
    } catch (error) {
      const { code, message } = failureOf(error);
      this.#core.notice("error", code, message);
    }
  }

  /** Newest inputs, for recall. Rejects with `invalid-argument`. */
  async inputHistory({
    limit = recalledInputs,
    before,
  }: {
    limit?: number;
    before?: number;
  }): Promise<InputHistoryPage> {
    if (!Number.isInteger(limit) || limit < 1 || limit > recalledInputLimit)
      throw new AutolithError(
        "invalid-argument",
        `limit is a whole number from 1 to ${recalledInputLimit}, not ${limit}.`,
      );
    return this.#history.page(limit, before);
  }

  async close(): Promise<void> {
    await this.#history.close();
  }

  /** For recall alone: what went wrong with it is told, and the input goes its way. */
  async #remember(kind: "message" | "command" | "lisp", text: string): Promise<void> {
    if (text === "") return;
    try {
      await this.#history.add({ kind, text, at: this.#core.environment.now() });
    } catch (error) {
      this.#core.environment.report(failureOf(error));
    }
  }

  /** Puts slash text behind what waits. */
  queueCommand(text: string): Promise<Admission> {
    return this.#admit("queued", { text, images: [] }, "command", undefined);
  }

  /** Executes slash text whose turn has come; its answer is shown as a notice. */
  async runWaiting(text: string): Promise<void> {
    const slash = slashText(text);
    if (slash.kind !== "command") return;
    try {
      const { text: answer } = await this.#invoker.runNow(slash.name, slash.input);
      this.#core.notice("info", "command", answer);
    } catch (error) {
      const { code, message } = failureOf(error);
      this.#core.notice("error", code, message);
    }
  }

  async vaultStore(): Promise<number> {
    const count = await this.#core.pending.store();
    this.#core.emit({ kind: "state" });
    return count;
  }

  async replaceVault(entries: readonly VaultEntry[]): Promise<void> {
    await this.#core.pending.replaceVault(entries);
    this.#core.emit({ kind: "state" });
  }

  async vaultRestore(): Promise<number> {
    const count = await this.#core.pending.restore((entry) => {
      const images = entry.images ?? [];
      return this.#waiting(entry.type, { text: entryText(entry), images }, `queue-${randomUUID()}`);
    });
    if (count > 0) {
      this.#engine.lift();
      this.#engine.pump();
    }
    return count;
  }

  async #admit(
    delivery: "steering" | "queued",
    content: Pick<Waiting, "text" | "images">,
    kind: Waiting["kind"],
    inputId: string | undefined,
  ): Promise<Admission> {
    const id = inputId ?? `${delivery === "steering" ? "steer" : "queue"}-${randomUUID()}`;
    if (!this.#isDelivered(id)) await this.#core.pending.admit(delivery, this.#waiting(kind, content, id));
    this.#engine.lift();
    this.#engine.pump();
    return { accepted: true, delivery, inputId: id };
  }

  #waiting(
    kind: Waiting["kind"],
    { text, images }: Pick<Waiting, "text" | "images">,
    inputId: string,
  ): Waiting {
    return { inputId, kind, text, images, acceptedAt: this.#core.environment.now() };
  }

  #isDelivered(inputId: string): boolean {
    return this.#core.log.records.some(
      ({ record }) => record.kind === "message" && record.pendingInputIdentifier === inputId,
    );
  }
}
