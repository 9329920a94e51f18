import { describe, expect, it } from "vitest";
import { openAiDirectory } from "../../../workers/model/openai-directory.ts";

function choice(environment: Record<string, string>): (...models: string[]) => string {
  const directory = openAiDirectory({ environment, replay: false, record: false });
  return (...models) => directory.choose(models, "openai-api/parent");
}

describe("the aliases of roles for models", () => {
  it("stand for the cheap and the strong model of the official family", () => {
    const choose = choice({ OPENAI_API_KEY: "k" });
    expect(choose("@smol")).toBe("openai-api/gpt-5-mini");
    expect([choose("@slow"), choose("@designer")]).toEqual(["openai-api/gpt-6.1", "openai-api/gpt-6.1"]);
    expect([choose("@task"), choose("@parent"), choose("@auto")]).toEqual([
      "openai-api/parent",
      "openai-api/parent",
      "openai-api/parent",
    ]);
  });

  it("are the parent's model on a server of one's own, unless variables name others", () => {
    const server = { AUTOLITH_OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
    expect(choice(server)("@smol")).toBe("openai-api/parent");
    const named = choice({ ...server, AUTOLITH_MODEL_SMOL: "tiny", AUTOLITH_MODEL_SLOW: "openai-api/big" });
    expect([named("@smol"), named("@slow")]).toEqual(["tiny", "openai-api/big"]);
  });

  it("give way to the next choice where they cannot be reached", () => {
    const choose = choice({ OPENAI_API_KEY: "k", AUTOLITH_MODEL_SMOL: "no such model" });
    expect(choose("@smol", "openai-api/second")).toBe("openai-api/second");
    expect(choose("@smol")).toBe("openai-api/parent");
  });
});

it.each([
  [{}, ["openai-api/gpt-6", "gpt-6"], ["openai-api/", "ghost/one"]],
  [{ AUTOLITH_OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }, ["openai-api/gpt-6", "ghost/one"], [""]],
])(
  "with %j knows the models that something could serve, with or without a key",
  (environment, known, unknown) => {
    const directory = openAiDirectory({ environment, replay: false, record: false });
    expect(known.filter((id) => directory.knows(id))).toEqual(known);
    expect(unknown.filter((id) => directory.knows(id))).toEqual([]);
  },
);
