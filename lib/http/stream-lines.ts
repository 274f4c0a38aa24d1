/** A file that is written as it is read: the next piece is made when the reader has taken the last one, so its length costs no memory. */
export function streamLines(lines: AsyncGenerator<string>, { contentType, fileName }: { contentType: string; fileName: string }): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => void lines.return(undefined),
  });
  return new Response(body, { headers: { "content-type": contentType, "content-disposition": `attachment; filename="${fileName}"`, "cache-control": "no-store" } });
}
