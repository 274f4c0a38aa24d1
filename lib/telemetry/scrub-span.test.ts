import { expect, test } from "vitest";
import { scrubSpan } from "./scrub-span";

test("queries of addresses and messages of errors are not sent", () => {
  const span = {
    name: "fetch GET https://login.example/token?code=s3cret",
    attributes: {
      "http.target": "/api/auth/callback/oidc?code=s3cret",
      "url.query": "code=s3cret",
      "http.route": "/api/auth/[...nextauth]",
      "http.status_code": 200,
    },
    events: [
      {
        name: "exception",
        attributes: {
          "exception.type": "Error",
          "exception.message": "s3cret",
          "exception.stacktrace": "Error: s3cret",
        },
      },
    ],
    status: { code: 2, message: "s3cret" },
  };
  scrubSpan(span);
  expect(JSON.stringify(span)).not.toContain("s3cret");
  expect(span).toMatchObject({
    name: "fetch GET https://login.example/token",
    attributes: {
      "http.target": "/api/auth/callback/oidc",
      "http.route": "/api/auth/[...nextauth]",
      "http.status_code": 200,
    },
    events: [{ attributes: { "exception.type": "Error" } }],
  });
});
