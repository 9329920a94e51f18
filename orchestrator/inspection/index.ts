export {
  TaskInspector,
  type TaskInspectorParts,
  taskPage,
  transcriptOffsetLimit,
  transcriptWindow,
} from "./task-inspector.ts";
