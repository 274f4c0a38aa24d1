/** The recording server as a process of its own; its options are the first argument, as JSON. */
import { RecordingHttp, type RecordingServerOptions } from "./http-side";

const server = new RecordingHttp(JSON.parse(process.argv[2] ?? "{}") as RecordingServerOptions);
const listening = await server.listen();
const stop = () => void server.close().then(() => process.exit(0));
process.once("disconnect", stop).once("SIGTERM", stop);
process.stdout.write(`${JSON.stringify({ listening })}\n`);
