/** The floor of a fan-out: the least a Node program must do to run the root and all its children at once. */
import { readFileSync } from "node:fs";

const url = `${process.env.AUTOLITH_OPENAI_BASE_URL}/responses`;

async function agent(prompt) {
  const input = [{ role: "user", content: prompt }];
  for (;;) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", stream: true, input }),
    });
    let text = "";
    for await (const chunk of response.body) text += Buffer.from(chunk).toString("utf8");
    const items = text
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice(6)))
      .filter((event) => event.type === "response.output_item.done")
      .map((event) => event.item);
    const calls = items.filter((item) => item.type === "function_call");
    if (calls.length === 0 || calls.some((call) => call.name === "yield__submit")) return "done";
    input.push(...items);
    const outputs = await Promise.all(calls.map(perform));
    input.push(...outputs);
  }
}

async function perform({ name, call_id, arguments: text }) {
  const values = JSON.parse(text);
  const output =
    name === "task__run"
      ? (await Promise.all(values.tasks.map(({ task }) => agent(task)))).join("\n")
      : readFileSync(values.uri.replace("workspace:", ""), "utf8");
  return { type: "function_call_output", call_id, output };
}

await agent(process.argv[2]);
