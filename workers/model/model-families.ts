import type { ReasoningEffort } from "../../orchestrator/contract/model.ts";

/** Models that reason: they take an effort and give encrypted reasoning items. */
const reasoningFamily = /^(o[1-9](-|$)|gpt-([5-9]|[1-9]\d)|gpt-oss|codex-)/;
/** Models that refuse the parameter for parallel calls. */
const serialFamily = /^o[1-9](-|$)/;

/** The last part of an id: servers put the maker before it. */
function familyOf(model: string): string {
  return model.slice(model.lastIndexOf("/") + 1);
}

/** True when a model of this id takes a reasoning effort. */
export function isReasoningModel(model: string): boolean {
  const family = familyOf(model);
  return reasoningFamily.test(family) && !/-chat(-|$)/.test(family);
}

/** True when several calls of one response may be asked for. */
export function takesParallelCalls(model: string): boolean {
  return !serialFamily.test(familyOf(model));
}

/** The effort as servers know it: `ultra` is ours, their strongest is `max`. */
export function serverEffort(effort: ReasoningEffort): string {
  return effort === "ultra" ? "max" : effort;
}
