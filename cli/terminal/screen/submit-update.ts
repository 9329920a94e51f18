/** Sending and completing: what Enter and Tab do to the composer. Pure. */
import type { Completion } from "../../../orchestrator/contract/session.ts";
import {
  type Composer,
  closedMenu,
  composedImages,
  composedText,
  edited,
  isEmpty,
  steppedMenu,
  taken,
  withCompletion,
} from "../composer/composer.ts";
import { inputCharacters } from "../composer/input-bound.ts";
import { isForm, isHalfForm, isUnfinished } from "./form-lines.ts";
import { type ScreenState, type Step, flashed, isTurnRunning, step } from "./screen-state.ts";

/** Characters of a word that completion is asked for at most. */
const longestWord = 512;

/** Tab: the next candidate, else asks for completion; with nothing to complete it sends, or queues while a turn runs. */
export function tabbed(state: ScreenState, isBack: boolean, at: number): Step {
  const { composer } = state;
  if (composer.menu !== undefined)
    return step({ ...state, composer: steppedMenu(composer, isBack ? -1 : 1) });
  if (isBack || isEmpty(composer)) return step(state);
  if (state.link !== "attached" || !isCompletable(composer)) return submitted(state, "queue", at);
  const token = state.counter + 1;
  const { text, cursor } = composer.buffer;
  const next = { ...state, counter: token, completing: { token, askedAt: at, held: [] } };
  return step(next, { type: "complete", text, cursor, token });
}

/** True when a word ends at the cursor: it may be the beginning of a command, an option or a path. */
function isCompletable({ buffer, chips }: Composer): boolean {
  if (chips.size > 0) return false;
  if (isForm(buffer.text)) return true;
  const before = buffer.text.slice(0, buffer.cursor);
  const word = /\S*$/.exec(before.slice(-longestWord))?.[0] ?? "";
  return word.length < longestWord && (word !== "" || /^\/[a-z0-9-]+ /i.test(before));
}

/** The answer of completion: it goes into the text, or sends it when there is nothing to complete. */
export function withCompletionAnswer(state: ScreenState, completion: Completion): Step {
  const { composer } = state;
  const { candidates, from, to } = completion;
  const [only] = candidates;
  const isWhole = candidates.length === 1 && only?.text === composer.buffer.text.slice(from, to);
  if (candidates.length === 0 || isWhole)
    // Half a form is not sent by a key that was meant to complete it.
    return isHalfForm(composer.buffer.text) ? step(state) : submitted(state, "queue", state.now);
  return step({ ...state, composer: withCompletion(composer, completion), flash: undefined });
}

/** Sends what is in the composer. */
export function submitted(state: ScreenState, how: "steer" | "queue", at: number): Step {
  const { composer } = state;
  if (composer.menu?.index !== undefined) return step({ ...state, composer: closedMenu(composer, true) });
  const text = composedText(composer);
  if (text.trim() === "") return step(state);
  if (isUnfinished(text))
    return step({
      ...state,
      composer: edited(composer, { type: "insert", text: "\n", typed: false }),
    });
  if (state.isReadOnly)
    return step(
      flashed(state, "warning", "This terminal only looks on. Attach without --read-only to write.", at),
    );
  if (state.link === "ended") return step(flashed(state, "warning", "The session was closed.", at));
  if (text.length > inputCharacters) {
    const message = `The input has ${text.length.toLocaleString("en")} characters; at most ${inputCharacters.toLocaleString("en")} can be sent at once.`;
    return step(flashed(state, "error", message, at));
  }
  const isCommand = text.startsWith("/") && !text.startsWith("//");
  const as = isCommand || !isTurnRunning(state) ? "prompt" : how;
  // The record tells by the id's beginning how the input came.
  const inputId = `${as === "prompt" ? "" : `${as}-`}${state.clientId}:${state.counter + 1}`;
  const next: ScreenState = {
    ...state,
    counter: state.counter + 1,
    composer: taken(composer),
    flash: undefined,
    // Whoever has sent is not typing: a dialog that comes now is for the next key.
    lastTypedAt: 0,
    sending: [...state.sending, { inputId, text }],
  };
  const { columns } = state.size;
  const images = composedImages(composer);
  return step(next, { type: "submit", text, as, orElse: how, images, inputId, columns });
}
