/** LangGraph JS in its fastest mode: its state is written when the graph stops or pauses, and not in between. */
import { open as openGraph } from "./langgraph.mjs";

export const open = (options) => openGraph(options, "exit");
