/** Lisp at the prompt of one session: its forms, the image they run in, and the operators they call. */
import { plainCompleteness } from "../../lisp/reader/plain-reading.ts";
import { AutolithError } from "../contract/failure.ts";
import type {
  HostCall,
  LispCompletion,
  LispEvaluationOptions,
  LispImage,
  LispJson,
  LispResult,
} from "../contract/lisp-image.ts";
import type { BusyBehaviour } from "../contract/session/catalogs.ts";
import type { Session } from "../contract/session/service.ts";
import type { SessionImage } from "../contract/session/updates.ts";
import { ActiveImage } from "../prompt/active-image.ts";
import { BackgroundForms } from "../prompt/background-forms.ts";
import { diagnose } from "../prompt/diagnosis.ts";
import { SessionForms } from "../prompt/forms.ts";
import { callCommand } from "../prompt/command-calls.ts";
import { type LispAnswer, callLisp } from "../prompt/lisp-calls.ts";
import { operatorCalls } from "../prompt/operator-calls.ts";
import { argumentNames, operatorDefinitions } from "../prompt/operators.ts";
import { promptPrelude } from "../prompt/prelude.ts";
import { chosenRecoveryText, repairSource } from "../prompt/recovery-text.ts";
import { RestartBroker } from "../prompt/restart-broker.ts";
import { admitPrompt } from "../prompt/prompt-operator.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { captureVariableValues, configuredCaptures } from "../initialization/capture-variables.ts";
import { type InitFile, InitializationError, initFiles } from "../initialization/init-files.ts";
import { MutationStore } from "../self/mutation-store.ts";
import { SelfModification } from "../self/self-modification.ts";
import { skippedText } from "../self/self-text.ts";
import { commands, findCommand } from "./commands/command-table.ts";
import type { SessionCommandSet } from "./commands/session-command-set.ts";
import type { LispCompletionSources } from "./catalog/lisp-completion.ts";
import { type Invoker, busyOfTool } from "./commands/invoker.ts";
import type { SessionCore } from "./session-core.ts";
import { sessionRecords } from "./view/session-records.ts";

/** Symbols asked of the image for one completion. */
const completedSymbols = 100;

export type SessionPromptParts = {
  readonly core: SessionCore;
  readonly session: Session;
  readonly tools: ToolRegistry;
  readonly commands: SessionCommandSet;
  readonly invoker: Invoker;
  /** Admits a message as it is: nothing in it is a command or a form. */
  readonly say: (
    text: string,
    images: readonly SessionImage[],
  ) => Promise<{ readonly delivery: string; readonly inputId: string }>;
  /** True while a client is attached that shows restarts to somebody. */
  readonly canDebug: () => boolean;
  /** Told when a form began or ended. */
  readonly changed: () => void;
};

export class SessionPrompt {
  readonly #parts: SessionPromptParts;
  readonly forms: SessionForms;
  readonly background: BackgroundForms;
  readonly restarts: RestartBroker;
  readonly #calls: ReturnType<typeof operatorCalls>;
  /** What is changed in the image for good. */
  readonly self: SelfModification;
  #image: ActiveImage;
  /** What the opening of the session has read of them already, while it makes the image. */
  #foundFiles: readonly InitFile[] | undefined;

  constructor(parts: SessionPromptParts) {
    this.#parts = parts;
    const { core, session, tools, invoker } = parts;
    const { images, report } = core.environment;
    this.#image = new ActiveImage({
      images,
      directory: () => core.workingDirectory,
      functions: () => operatorDefinitions(commands, tools),
      prelude: promptPrelude,
      initialize: (image) => this.#initialize(image),
      report: (failure) => {
        core.notice("warning", failure.code, failure.message);
        report(failure);
      },
    });
    this.#image.join(this);
    core.extensions = () => this.#image.extensions;
    this.#calls = operatorCalls({
      core,
      session,
      tools,
      commands: parts.commands,
      invoker,
      prompt: (args, call) => this.#prompt(args, call),
      extension: {
        core,
        extensions: () => this.#image.extensions,
        isTaken: (name) => findCommand(name) !== undefined || tools.get(name) !== undefined,
        callLisp: (name, args, signal) => this.callLisp(name, args, signal),
      },
    });
    this.self = new SelfModification({
      store: new MutationStore(core.environment),
      image: () => this.#image.open(),
      calls: () => this.#calls(undefined),
      now: core.environment.now,
    });
    this.restarts = new RestartBroker({
      canAsk: parts.canDebug,
      emit: (event) => core.emit(event),
      diagnose: (request, signal) => diagnose(core, request, signal),
      recovering: (request, recovery) =>
        core.note(sessionRecords.recovery, { text: chosenRecoveryText(request, recovery) }),
      repair: ({ formId }, title, source) => this.#repair(repairSource(formId, title, source)),
      now: core.environment.now,
      withoutSecrets: core.environment.withoutSecrets,
      scope: core.id,
    });
    this.forms = new SessionForms({
      core,
      image: () => this.#image,
      calls: this.#calls,
      restarts: this.restarts,
      changed: parts.changed,
    });
    this.background = new BackgroundForms({
      core,
      image: () => this.#image,
      calls: this.#calls,
      forms: this.forms,
    });
  }

  /** Goes on in the image of the conversation that was in front before, unless this one has an image of its own. */
  adopt(earlier: SessionPrompt): void {
    if (this.#image.isStarted || this.#image === earlier.#image) return;
    // Not started: nothing ends with it.
    void this.#image.leave(this);
    this.#image = earlier.#image;
    this.#image.join(this);
  }

  /** What an operator of a form does during a turn; undefined for what is no operator of ours. */
  busyOf(operator: string): BusyBehaviour | undefined {
    const tool = this.#parts.tools.get(operator);
    return tool === undefined ? this.#parts.commands.find(operator)?.busy : busyOfTool(tool);
  }

  /**
   * Loads the initialization files, when there are any: their commands and contributors are there before the first input. Rejects with
   * `initialization` (naming the file) and `directory-scopes`.
   */
  async begin(): Promise<void> {
    if (this.#image.isStarted) return;
    const { pristine } = this.#parts.core.environment.initialization;
    const isChanged = !pristine && (await this.self.store.hasAny());
    const files = await this.#initFiles();
    this.#foundFiles = files;
    if (isChanged || files.length > 0) await this.#image.open();
    this.#foundFiles = undefined;
  }

  /** Calls what Lisp offers under a name. Rejects with `lisp-condition`, `cancelled`, `image-ended`. */
  callLisp(name: string, args: readonly LispJson[], signal?: AbortSignal): Promise<LispAnswer> {
    const evaluate = (source: string, options: LispEvaluationOptions): Promise<LispResult> =>
      this.#image.evaluate(source, options);
    const calls = this.#calls(undefined);
    const { withoutSecrets } = this.#parts.core.environment;
    // A command is called by somebody who can choose; notes for a request are nobody's wish.
    return name === "command"
      ? callCommand(evaluate, args, { calls, restarts: this.restarts, withoutSecrets })
      : callLisp(evaluate, [name, ...args], { calls, ...(signal === undefined ? {} : { signal }) });
  }

  async #initFiles(): Promise<readonly InitFile[]> {
    const { core } = this.#parts;
    const { pristine, configRoot, siteConfigRoot } = core.environment.initialization;
    return pristine ? [] : initFiles({ configRoot, siteConfigRoot, workingDirectory: core.workingDirectory });
  }

  async #initialize(image: LispImage): Promise<void> {
    const { core } = this.#parts;
    if (!core.environment.initialization.pristine) {
      await this.self.replay(image);
      const { skipped } = this.self;
      if (skipped.length > 0) core.openingNotice("skipped-definitions", skippedText(skipped));
    }
    const files = this.#foundFiles ?? (await this.#initFiles());
    for (const file of files) await this.#load(image, file);
    const last = files.at(-1);
    if (last !== undefined) await this.#configureCaptures(image, last.path);
  }

  /** One that takes too long is stopped where it is, and told; the session opens all the same. */
  async #load(image: LispImage, { path, source }: InitFile): Promise<void> {
    checkReadable(path, source);
    const { core } = this.#parts;
    const { fileMs, loading, stop } = core.environment.initialization;
    const late = new AbortController();
    const limit = setTimeout(() => late.abort("it took too long"), fileMs);
    loading.add(path);
    const result = await image.evaluate(source, {
      package: "AUTOLITH",
      file: path,
      onCall: this.#calls(undefined),
      signal: AbortSignal.any([late.signal, stop.signal]),
    });
    loading.delete(path);
    clearTimeout(limit);
    if (result.kind === "cancelled" && late.signal.aborted)
      core.openingNotice(
        "initialization-stopped",
        `${path} was not loaded within ${fileMs} ms and was stopped; what it did before stays. Correct it, or start with --pristine to go without initialization.`,
      );
    else if (result.kind !== "values") throw new InitializationError(path, endText(result, path));
  }

  /** Bounds of what is kept of commands' output, as the initialization files left them. */
  async #configureCaptures(image: LispImage, path: string): Promise<void> {
    const result = await image.evaluate(captureVariableValues, { package: "AUTOLITH" });
    const set = configuredCaptures(result, (text) => {
      throw new InitializationError(path, text);
    });
    this.#parts.core.environment.configureCaptures(set);
  }

  /** Symbols of the image that begin so; none while there is no image. */
  async symbols(prefix: string): Promise<readonly LispCompletion[]> {
    const image = this.#image.current;
    if (image === undefined) return [];
    try {
      return await image.complete(prefix, completedSymbols);
    } catch {
      // It has just ended: there is nothing to complete with.
      return [];
    }
  }

  /** Names of tools and of their arguments. */
  toolArguments(): LispCompletionSources["tools"] {
    const { tools } = this.#parts;
    return {
      names: () => tools.names(),
      argumentNames: (name) => {
        const tool = tools.get(name);
        return tool === undefined ? [] : (argumentNames(tool) ?? []);
      },
    };
  }

  /** The image for evaluations that are no forms of the conversation; operators they call act on it. */
  managedImage(): Pick<LispImage, "evaluate" | "probe"> {
    return {
      evaluate: (source, options = {}) =>
        this.#image.evaluate(source, { ...options, onCall: this.#calls(undefined) }),
      probe: async (text) => (await this.#image.open()).probe(text),
    };
  }

  /** The image, started when it is not there. */
  image(): Promise<LispImage> {
    return this.#image.open();
  }

  /** Ends what a dead host left of forms in the record. */
  async takenOver(): Promise<void> {
    await this.forms.takenOver();
    await this.background.takenOver();
  }

  /** Ends what runs; jobs of forms have been cancelled before. */
  async close(): Promise<void> {
    await this.forms.close();
    await this.background.close();
    await this.#image.leave(this);
  }

  /** Evaluates source of a recovery as a form of the conversation, beside the one that waits; what it signals is the failure. */
  async #repair(source: string): Promise<void> {
    const { finished } = await this.forms.submit(source, { asks: false, atOnce: true });
    const { status, condition, reason } = await finished;
    if (status === "values") return;
    const why = condition?.text ?? reason ?? status;
    throw new AutolithError(
      "repair-failed",
      `The repair did not return, and the restarts are as they were: ${why.slice(0, 1_000)}`,
    );
  }

  #prompt(args: readonly LispJson[], call: HostCall): Promise<LispJson> {
    const { core, session, say } = this.#parts;
    return admitPrompt(args, call, {
      workspace: () => core.workingDirectory,
      toPrimary: say,
      toChild: (name, text) => session.sendToJob(name, text),
    });
  }
}

/** Says where a file is broken that cannot be read to its end. */
function checkReadable(path: string, source: string): void {
  const judged = plainCompleteness(source);
  if (judged.kind === "incomplete")
    throw new InitializationError(
      path,
      `what begins at line ${judged.at.line}, column ${judged.at.column} has no end.`,
    );
}

/** How an initialization file ended, as a sentence. */
function endText(result: Exclude<LispResult, { kind: "values" }>, path: string): string {
  if (result.kind === "quit") return "it ended the image.";
  if (result.kind !== "failed") return `${result.reason}.`;
  const { condition, reason } = result;
  if (condition === null) return `${reason}.`;
  const { type, text, place } = condition;
  const where = place?.file === path ? `the form at ${path}:${place.line} signalled ` : "";
  return `${where}${type}: ${text}`;
}
