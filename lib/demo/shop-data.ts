/** What the demo shop knows when it is opened for the first time, and the form in which it is kept. */
import { z } from "zod";

const customerSchema = z.strictObject({
  customer_id: z.string(),
  name: z.string(),
  email: z.string(),
  since: z.string(),
});

const orderSchema = z.strictObject({
  order_id: z.string(),
  customer_id: z.string(),
  placed_on: z.string(),
  status: z.enum(["processing", "shipped", "delivered", "returned"]),
  items: z.array(z.strictObject({ name: z.string(), quantity: z.number().int(), price: z.number() })),
  total: z.number(),
  currency: z.string(),
});

const paymentSchema = z.strictObject({
  payment_id: z.string(),
  order_id: z.string(),
  kind: z.enum(["charge", "refund"]),
  amount: z.number(),
  currency: z.string(),
  booked_at: z.string(),
  note: z.string(),
});

const ticketSchema = z.strictObject({
  ticket_id: z.string(),
  customer_id: z.string(),
  order_id: z.string().nullable(),
  status: z.enum(["open", "closed"]),
  subject: z.string(),
  body: z.string(),
  draft: z.string().nullable(),
});

export const shopStateSchema = z.strictObject({
  customers: z.array(customerSchema),
  orders: z.array(orderSchema),
  payments: z.array(paymentSchema),
  tickets: z.array(ticketSchema),
});

export type ShopState = z.infer<typeof shopStateSchema>;
export type Payment = ShopState["payments"][number];

type Item = ShopState["orders"][number]["items"][number];

function order(
  order_id: string,
  customer_id: string,
  placed_on: string,
  status: ShopState["orders"][number]["status"],
  items: Item[],
  currency = "EUR",
) {
  const total = items.reduce((cents, { quantity, price }) => cents + quantity * Math.round(price * 100), 0) / 100;
  return { order_id, customer_id, placed_on, status, items, total, currency };
}

const item = (name: string, price: number, quantity = 1): Item => ({ name, quantity, price });

const orders = [
  order("A-1041", "C-201", "2026-09-28", "delivered", [item("Pour-over kettle", 64.9)]),
  order("A-1042", "C-202", "2026-10-02", "delivered", [item("Espresso grinder", 189), item("Cleaning brush", 7.5)]),
  order("A-1043", "C-203", "2026-10-03", "shipped", [item("Milk pitcher 350 ml", 24.9, 2)]),
  order("A-1044", "C-204", "2026-10-05", "returned", [item("Travel press", 39)]),
  order("A-1045", "C-205", "2026-10-06", "delivered", [item("Paper filters, 100", 8.4, 3)], "USD"),
  order("A-1046", "C-206", "2026-10-08", "processing", [item("Espresso machine", 1249)]),
  order("A-1047", "C-201", "2026-10-09", "delivered", [item("Scale with timer", 54)]),
  order("A-1048", "C-203", "2026-10-11", "delivered", [
    item("Ethiopia beans 1 kg", 32.5),
    item("Kenya beans 250 g", 13.8),
  ]),
  order("A-1049", "C-202", "2026-10-12", "shipped", [item("Tamper 58 mm", 42)]),
  order("A-1050", "C-204", "2026-10-14", "processing", [item("Gift card", 50)], "USD"),
];

function charge(number: number, order_id: string, booked_at: string, note = "card"): Payment {
  const { total, currency } = orders.find((each) => each.order_id === order_id)!;
  return { payment_id: `P-${number}`, order_id, kind: "charge", amount: total, currency, booked_at, note };
}

const payments: Payment[] = [
  charge(5001, "A-1041", "2026-09-28T08:12:04Z"),
  charge(5002, "A-1042", "2026-10-02T17:40:11Z"),
  charge(5003, "A-1042", "2026-10-02T17:40:58Z", "card, second try after a timeout"),
  charge(5004, "A-1043", "2026-10-03T09:01:33Z"),
  charge(5005, "A-1044", "2026-10-05T12:25:47Z"),
  charge(5006, "A-1045", "2026-10-06T20:15:02Z"),
  charge(5007, "A-1046", "2026-10-08T07:48:19Z", "bank transfer"),
  charge(5008, "A-1047", "2026-10-09T15:30:40Z"),
  charge(5009, "A-1048", "2026-10-11T11:11:26Z"),
  charge(5010, "A-1049", "2026-10-12T18:05:55Z"),
  charge(5011, "A-1050", "2026-10-14T10:22:13Z"),
];

function ticket(number: number, customer_id: string, order_id: string | null, subject: string, body: string) {
  return { ticket_id: `T-${number}`, customer_id, order_id, status: "open" as const, subject, body, draft: null };
}

const INITIAL: ShopState = {
  customers: [
    { customer_id: "C-201", name: "Mara Lindqvist", email: "mara@example.com", since: "2023-04-17" },
    { customer_id: "C-202", name: "Jonas Weber", email: "jonas@example.com", since: "2024-01-09" },
    { customer_id: "C-203", name: "Aiko Tanaka", email: "aiko@example.com", since: "2022-11-30" },
    { customer_id: "C-204", name: "Luis Romero", email: "luis@example.com", since: "2025-06-21" },
    { customer_id: "C-205", name: "Grace Okafor", email: "grace@example.com", since: "2025-02-02" },
    { customer_id: "C-206", name: "Emil Novak", email: "emil@example.com", since: "2021-08-14" },
  ],
  orders,
  payments,
  tickets: [
    ticket(
      310,
      "C-202",
      "A-1042",
      "Charged twice",
      "My card statement shows order A-1042 two times, one minute apart. Please give the second one back.",
    ),
    ticket(311, "C-203", "A-1043", "Where is my parcel?", "The tracking page has not moved for four days."),
    ticket(
      312,
      "C-204",
      "A-1044",
      "Refund for a return",
      "I sent the travel press back last week and have not seen the money.",
    ),
    ticket(313, "C-205", "A-1045", "Wrong filter size", "I ordered size 2 and received size 4. Can I swap them?"),
    ticket(314, "C-206", "A-1046", "Change of address", "Please deliver the machine to my office instead."),
    ticket(
      315,
      "C-201",
      null,
      "Delete my data",
      "I no longer shop with you. Please delete my account and everything about me.",
    ),
    ticket(316, "C-203", "A-1048", "Stale beans", "The roast date on the Kenya bag is from last year."),
    ticket(317, "C-202", "A-1049", "Invoice with company name", "Could the invoice carry the name of my company?"),
    // An order that is missing from the shop's books, so that a search for it must fail.
    ticket(
      318,
      "C-206",
      "A-1099",
      "Order missing from my account",
      "I paid for order A-1099, but my account does not show it.",
    ),
  ],
};

/** A copy, so that one shop's bookings never appear in another's. */
export function initialShopState(): ShopState {
  return structuredClone(INITIAL);
}
