import { describe, expect, it } from "vitest";
import { modelEndpointSchema } from "../../../orchestrator/contract/model.ts";
import { isReasoningModel, takesParallelCalls } from "../../../workers/model/model-families.ts";
import { resolveOpenAiModel, type Environment } from "../../../workers/model/openai-endpoint.ts";

const key = { OPENAI_API_KEY: "key-of-a-test" };
const own = { AUTOLITH_OPENAI_BASE_URL: "http://127.0.0.1:8080/v1/" };

function codeOf(modelId: string, environment: Environment): unknown {
  try {
    resolveOpenAiModel(modelId, environment);
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return "resolved";
}

describe("a model of the official API", () => {
  it("needs a key and uses Responses", () => {
    expect(resolveOpenAiModel("openai-api/gpt-5.2", key)).toEqual({
      model: "gpt-5.2",
      endpoint: { provider: "openai-api", wire: "responses", reasoning: true, apiKey: "key-of-a-test" },
    });
    expect(codeOf("openai-api/gpt-5.2", {})).toBe("configuration");
    expect(codeOf("openai-api/gpt-5.2", { OPENAI_API_KEY: "  " })).toBe("configuration");
  });

  it.each(["gpt-5", "o3", "o4-mini", "codex-mini", "openai-api/anything"])("is known as %s", (modelId) => {
    expect(codeOf(modelId, key)).toBe("resolved");
  });

  it.each(["llama-3", "nonsense", "claude-4", "other/gpt-5", "openai-api/"])(
    "is not known as %s",
    (modelId) => {
      expect(codeOf(modelId, key)).toBe("unknown-model");
    },
  );

  it("takes organisation and project along", () => {
    const { endpoint } = resolveOpenAiModel("gpt-5", {
      ...key,
      OPENAI_ORG_ID: "org",
      OPENAI_PROJECT_ID: "project",
    });
    expect(endpoint.headers).toEqual({ "OpenAI-Organization": "org", "OpenAI-Project": "project" });
  });
});

describe("a model of a server of one's own", () => {
  it("has any id and needs no key", () => {
    expect(resolveOpenAiModel("hf:zai-org/GLM-5.3-Flash", { ...own, AUTOLITH_OPENAI_WIRE: "chat" })).toEqual({
      model: "hf:zai-org/GLM-5.3-Flash",
      endpoint: {
        provider: "openai-api",
        wire: "chat",
        reasoning: false,
        baseUrl: "http://127.0.0.1:8080/v1",
      },
    });
    expect(resolveOpenAiModel("openai-api/x", own).model).toBe("x");
  });

  it.each(["ftp://host/v1", "not a url", "http://user:secret@host/v1"])("is refused at %s", (url) => {
    expect(codeOf("x", { AUTOLITH_OPENAI_BASE_URL: url })).toBe("configuration");
  });

  it("is refused with another wire form", () => {
    expect(codeOf("x", { ...own, AUTOLITH_OPENAI_WIRE: "telegraph" })).toBe("configuration");
  });
});

it("every resolved endpoint is one of the contract", () => {
  for (const environment of [key, own, { ...key, ...own, AUTOLITH_OPENAI_WIRE: " Chat " }]) {
    const { endpoint } = resolveOpenAiModel("gpt-5", environment);
    expect(modelEndpointSchema.parse(endpoint)).toEqual(endpoint);
  }
});

it.each([
  ["gpt-5.2", true],
  ["gpt-10", true],
  ["openai/gpt-oss-120b", true],
  ["o1", true],
  ["gpt-4.1", false],
  ["gpt-5-chat-latest", false],
  ["ollama-3", false],
  ["omni", false],
] as const)("%s reasons: %s", (model, expected) => {
  expect(isReasoningModel(model)).toBe(expected);
});

it.each([
  ["o3", false],
  ["o4-mini", false],
  ["gpt-5.2", true],
  ["ollama/qwen3", true],
] as const)("%s takes parallel calls: %s", (model, expected) => {
  expect(takesParallelCalls(model)).toBe(expected);
});
