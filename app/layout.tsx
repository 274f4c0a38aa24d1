import type { Metadata, Viewport } from "next";
import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import type { ReactNode } from "react";
import { currentTheme } from "./current-theme";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Kimitsu", template: "%s · Kimitsu" },
  description: "Agents use tools; a person stands in front of every call that deserves one.",
  applicationName: "Kimitsu",
  // With no-referrer browsers send "Origin: null" with a form posted without scripts, and Next refuses it as foreign.
  // This still reveals nothing to other sites.
  referrer: "same-origin",
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  viewportFit: "cover",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fbfaf8" },
    { media: "(prefers-color-scheme: dark)", color: "#121316" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = await currentTheme();
  return (
    <html
      lang="en"
      data-theme={theme === "system" ? undefined : theme}
      className={`${GeistSans.variable} ${GeistMono.variable}`}
    >
      <body className="antialiased">{children}</body>
    </html>
  );
}
