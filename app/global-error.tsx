"use client";

import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import ErrorPage from "./error";
import "./globals.css";

/** Replaces the root layout when that fails too, so it renders its own document. */
export default function GlobalErrorPage(props: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <head>
        <title>Error · Kimitsu</title>
      </head>
      <body className="antialiased">
        <ErrorPage {...props} />
      </body>
    </html>
  );
}
