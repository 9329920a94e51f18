import type { ModelEndpoint, ModelItem, ModelRequest } from "../../orchestrator/contract/model.ts";
import { wireNames, type WireNames } from "../../orchestrator/model-exchange/wire-names.ts";
import { chatBody } from "./chat-request.ts";
import { mayNeedRepair } from "../../orchestrator/record/text-repair.ts";
import { cleanJson } from "./clean-text.ts";
import { inputItems, responsesHead, responsesTools } from "./responses-request.ts";
import type { WireObject } from "./wire-values.ts";

/** What is posted for a request: path below the base URL, and the JSON text of the body. */
export interface WireRequest {
  readonly path: string;
  readonly body: string;
}

/** The request in the endpoint's wire form, with all text cleaned. Nothing of earlier failures is in it. */
export function wireRequest(endpoint: ModelEndpoint, request: ModelRequest, names: WireNames): WireRequest {
  return endpoint.wire === "chat"
    ? { path: "/chat/completions", body: jsonText(chatBody(endpoint, request, names)) }
    : { path: "/responses", body: responsesText(endpoint, request, names) };
}

/** Function names of the tools that requests offer, which a run offers again and again. */
const namesOfTools = new WeakMap<ModelRequest["tools"], WireNames>();

export function requestNames({ tools }: Pick<ModelRequest, "tools">): WireNames {
  const known = namesOfTools.get(tools);
  if (known !== undefined) return known;
  const names = wireNames(tools.map(({ name }) => name));
  namesOfTools.set(tools, names);
  return names;
}

/** JSON texts that were made for an earlier request to the same endpoint. */
type MadeText = { readonly endpoint: ModelEndpoint; readonly names: WireNames; readonly text: string };

/** Of items and lists of tools: a turn adds a few to those that went along with the request before it. */
const madeTexts = new WeakMap<object, MadeText>();

function responsesText(endpoint: ModelEndpoint, request: ModelRequest, names: WireNames): string {
  const made = (of: object, make: () => string): string => {
    const known = madeTexts.get(of);
    if (known?.endpoint === endpoint && known.names === names) return known.text;
    const text = make();
    madeTexts.set(of, { endpoint, names, text });
    return text;
  };
  const head = jsonText(responsesHead(endpoint, request)).slice(0, -1);
  const items = request.items
    .map((item) => made(item, () => itemsText(item, endpoint, names)))
    .filter((text) => text !== "")
    .join(",");
  const { tools } = request;
  const offered =
    tools.length === 0 ? "" : `,"tools":${made(tools, () => jsonText(responsesTools(tools, names)))}`;
  return `${head}${offered},"input":[${items}]}`;
}

/** What an item is on the wire, without the brackets of a list. */
function itemsText(item: ModelItem, endpoint: ModelEndpoint, names: WireNames): string {
  return inputItems(item, endpoint, names).map(jsonText).join(",");
}

/** `stringify` writes what would have to be repaired as escapes, and hardly any text has them: one look at all of it tells. */
function jsonText(value: WireObject | readonly WireObject[]): string {
  const text = JSON.stringify(value);
  return mayNeedRepair(text) ? JSON.stringify(cleanJson(value)) : text;
}
