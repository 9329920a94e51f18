/** Bounds of what touches the machine: commands, captures, the sandbox, files, search. */
import { type Limit, topicLimits } from "../orchestrator/settings/limits/limit.ts";
import { runsPerThreadLimit } from "./agent/agent-pool.ts";
import { gitCommandTimeoutMs, gitOutputLimitBytes, gitErrorLimitBytes } from "./git/git-process.ts";
import { sandboxProcessLimit, sharedMemoryBytes } from "./sandbox/sandbox-arguments.ts";
import { lineTextLimit as foundLineLimit } from "./search/content-search.ts";
import { fileLimit, listingBudgetMs } from "./search/file-search.ts";
import { alternativeLimit } from "./search/glob-pattern.ts";
import { outputLineBytes } from "./search/ripgrep.ts";
import { defaultCaptureLimits } from "./shell/capture-record.ts";
import { previewBytes } from "./shell/output-preview.ts";
import { searchResultLimit, searchScanBytes, windowLimitBytes } from "./shell/shell-log-reader.ts";
import { redirectionLimit } from "./model/http-exchange.ts";
import { providerModelLimit, registeredProviderLimit } from "./model/registered-providers.ts";
import { directoryLimit } from "./workspace/directory-reading.ts";
import { editLimitBytes } from "./workspace/file-editing.ts";
import { lineTextLimit, linesTextLimit, scanLimitBytes } from "./workspace/file-reading.ts";
import { checkedFileByteLimit } from "./workspace/paren-check.ts";
import { viewedImageByteLimit } from "./workspace/view-image.ts";

export const machineLimits: readonly Limit[] = [
  ...topicLimits("commands", [
    ["capture of one stream", defaultCaptureLimits.streamBytes, "bytes"],
    ["all captures together", defaultCaptureLimits.totalBytes, "bytes"],
    ["captures", defaultCaptureLimits.artifacts, "items"],
    ["age of a delivered capture", defaultCaptureLimits.ageMs, "milliseconds"],
    ["age of an undelivered capture", defaultCaptureLimits.undeliveredAgeMs, "milliseconds"],
    ["remembered pruned captures", defaultCaptureLimits.tombstones, "items"],
    ["preview", previewBytes, "bytes"],
    ["window of a capture", windowLimitBytes, "bytes"],
    ["searched part of a capture", searchScanBytes, "bytes"],
    ["places found in a capture", searchResultLimit, "items"],
    ["processes in a sandbox", sandboxProcessLimit, "items"],
    ["shared memory in a sandbox", sharedMemoryBytes, "bytes"],
  ]),
  ...topicLimits("providers", [
    ["registered providers", registeredProviderLimit, "items"],
    ["models of a registered provider", providerModelLimit, "items"],
  ]),
  ...topicLimits("worktrees", [
    ["time of one git command", gitCommandTimeoutMs, "milliseconds"],
    ["output of git without patch and paths", gitOutputLimitBytes, "bytes"],
    ["words of git in an error", gitErrorLimitBytes, "bytes"],
  ]),
  ...topicLimits("files", [
    ["file that is edited", editLimitBytes, "bytes"],
    ["file that is read by lines", scanLimitBytes, "bytes"],
    ["Lisp file whose parentheses are checked", checkedFileByteLimit, "bytes"],
    ["image that is shown to a model", viewedImageByteLimit, "bytes"],
    ["lines shown at once", linesTextLimit, "characters"],
    ["one line shown", lineTextLimit, "characters"],
    ["entries of a directory", directoryLimit, "items"],
  ]),
  ...topicLimits("search", [
    ["files looked at", fileLimit, "items"],
    ["time for listing files", listingBudgetMs, "milliseconds"],
    ["one line found", foundLineLimit, "characters"],
    ["one line searched", outputLineBytes, "bytes"],
    ["alternatives of a pattern", alternativeLimit, "items"],
  ]),
  ...topicLimits("agents", [
    ["runs in one thread", runsPerThreadLimit, "items"],
    ["redirections of one request", redirectionLimit, "items"],
  ]),
];
