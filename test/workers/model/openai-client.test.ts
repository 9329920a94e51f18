import { expect, it } from "vitest";
import type { ModelEndpoint } from "../../../orchestrator/contract/model.ts";
import type { ExchangeInit, ModelServerResponse } from "../../../workers/model/http-exchange.ts";
import { post } from "../../../workers/model/openai-client.ts";

const endpoint: ModelEndpoint = {
  provider: "p",
  wire: "responses",
  baseUrl: "http://model.invalid/v1",
  apiKey: "key",
  reasoning: false,
  headers: { "X-Own": "1" },
};

type Sent = { readonly url: string; readonly init: ExchangeInit };

async function posted(path: string, body: string, signal: AbortSignal, sent: Sent[]): Promise<void> {
  await post({
    endpoint,
    path,
    body,
    signal,
    send: (url, init) => {
      sent.push({ url: String(url), init });
      const response = { status: 200, ok: true, headers: new Headers() };
      return Promise.resolve(response as unknown as ModelServerResponse);
    },
  });
}

it("later requests differ from the first in nothing but body, signal and path", async () => {
  const sent: Sent[] = [];
  const [first, second] = [new AbortController(), new AbortController()];
  await posted("/responses", '{"a":1}', first.signal, sent);
  await posted("/responses", '{"b":2}', second.signal, sent);
  await posted("/chat/completions", "{}", first.signal, sent);
  expect(sent.map(({ url }) => new URL(url).pathname)).toEqual([
    "/v1/responses",
    "/v1/responses",
    "/v1/chat/completions",
  ]);
  expect(sent.map(({ init }) => [init.method, init.body])).toEqual([
    ["POST", '{"a":1}'],
    ["POST", '{"b":2}'],
    ["POST", "{}"],
  ]);
  expect(sent[1]?.init.headers).toEqual(sent[0]?.init.headers);
  expect(sent[1]?.init.headers).toMatchObject({
    authorization: "Bearer key",
    "content-type": "application/json",
    "x-own": "1",
  });
});

it("an abort ends its own request alone", async () => {
  const sent: Sent[] = [];
  const [first, second] = [new AbortController(), new AbortController()];
  await posted("/responses", "{}", first.signal, sent);
  await posted("/responses", "{}", second.signal, sent);
  second.abort();
  expect(sent.map(({ init }) => init.signal?.aborted)).toEqual([false, true]);
});
