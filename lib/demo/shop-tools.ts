/** The seven tools of the demo shop: what they take, what they declare about themselves, what they do. */
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import {
  bookRefund,
  findDuplicateCharges,
  getCustomer,
  getOrder,
  getTicket,
  readBalance,
  ShopRefusal,
} from "./shop-books";
import type { ShopStore } from "./shop-store";

export interface ShopTool {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: z.ZodObject;
  /** Arguments have passed `input`. Throws ShopRefusal for what the model should read and correct. */
  run(store: ShopStore, args: never, now: Date): Record<string, unknown>;
}

function defineTool<Input extends z.ZodObject>(
  tool: Omit<ShopTool, "input" | "run"> & {
    input: Input;
    run(store: ShopStore, args: z.infer<Input>, now: Date): Record<string, unknown>;
  },
): ShopTool {
  return tool as unknown as ShopTool;
}

const orderId = z
  .string()
  .regex(/^A-\d{4,}$/, "looks like A-1042")
  .describe("Order number, such as A-1042");
const ticketId = z
  .string()
  .regex(/^T-\d{3,}$/, "looks like T-310")
  .describe("Ticket number, such as T-310");
const customerId = z
  .string()
  .regex(/^C-\d{3,}$/, "looks like C-202")
  .describe("Customer number, such as C-202");

const READ: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const SET: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const readTools = [
  defineTool({
    name: "orders-read",
    title: "Read an order",
    description: "Gives one order with its items, total, currency, status and customer.",
    annotations: READ,
    input: z.strictObject({ order_id: orderId }),
    run: (store, { order_id }) => {
      const order = getOrder(store.read(), order_id);
      const customer = store.read().customers.find((each) => each.customer_id === order.customer_id) ?? null;
      return { ...order, customer };
    },
  }),
  defineTool({
    name: "payments-read",
    title: "Read an order's payments",
    description:
      "Gives every charge and refund booked for an order, what can still be refunded, and charges that look like duplicates.",
    annotations: READ,
    input: z.strictObject({ order_id: orderId }),
    run: (store, { order_id }) => {
      const state = store.read();
      getOrder(state, order_id);
      const payments = state.payments.filter((payment) => payment.order_id === order_id);
      return { order_id, payments, ...readBalance(state, order_id), duplicate_charges: findDuplicateCharges(payments) };
    },
  }),
  defineTool({
    name: "tickets-search",
    title: "Search tickets",
    description:
      "Finds tickets that contain every word of the query in their subject, text, number, order or customer's name.",
    annotations: READ,
    input: z.strictObject({
      query: z.string().trim().min(1, "needs at least one word").max(200).describe("Words to look for"),
    }),
    run: (store, { query }) => {
      const { tickets, customers } = store.read();
      const words = query.toLowerCase().split(/\s+/);
      const found = tickets.filter((ticket) => {
        const name = customers.find((each) => each.customer_id === ticket.customer_id)?.name ?? "";
        const text = [ticket.ticket_id, ticket.order_id ?? "", ticket.subject, ticket.body, name]
          .join(" ")
          .toLowerCase();
        return words.every((word) => text.includes(word));
      });
      return { query, count: found.length, tickets: found };
    },
  }),
];

const writeTools = [
  defineTool({
    name: "draft-reply",
    title: "Draft a reply",
    description: "Puts a reply on a ticket as a draft, in place of an earlier draft. Nothing is sent.",
    annotations: SET,
    input: z.strictObject({
      ticket_id: ticketId,
      text: z.string().trim().min(1, "needs some text").max(4000).describe("The reply"),
    }),
    run: (store, { ticket_id, text }) =>
      store.update((state) => {
        const ticket = getTicket(state, ticket_id);
        if (ticket.status === "closed") throw new ShopRefusal(`Ticket ${ticket_id} is closed, so it takes no draft.`);
        ticket.draft = text;
        return { ticket_id, status: ticket.status, draft: text };
      }),
  }),
  defineTool({
    name: "issue-refund",
    title: "Refund money",
    description: "Pays money of an order back to the customer. Each call pays again.",
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    input: z.strictObject({
      order_id: orderId,
      // Not `multipleOf`: in a JSON Schema it makes common validators refuse 196.5, because 196.5 / 0.01 is not whole.
      amount: z
        .number()
        .positive("must be more than zero")
        .refine((amount) => Number(amount.toFixed(2)) === amount, "has at most two decimals")
        .describe("Amount in the order's currency, such as 196.5"),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, "has three capital letters, such as EUR")
        .describe("The order's currency"),
      reason: z
        .string()
        .trim()
        .min(3, "says why in a few words")
        .max(500)
        .describe("Why; printed on the customer's statement"),
    }),
    run: (store, refund, now) => store.update((state) => bookRefund(state, refund, now)),
  }),
  defineTool({
    name: "close-ticket",
    title: "Close a ticket",
    description: "Marks a ticket as done. Closing it again changes nothing.",
    annotations: SET,
    input: z.strictObject({ ticket_id: ticketId }),
    run: (store, { ticket_id }) =>
      store.update((state) => {
        const ticket = getTicket(state, ticket_id);
        const was_open = ticket.status === "open";
        ticket.status = "closed";
        return { ticket_id, status: ticket.status, was_open };
      }),
  }),
  defineTool({
    name: "delete-customer",
    title: "Delete a customer",
    description:
      "Erases a customer's name, address and tickets for good. Orders and payments stay for the books, without a name.",
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    input: z.strictObject({ customer_id: customerId }),
    run: (store, { customer_id }) =>
      store.update((state) => {
        getCustomer(state, customer_id);
        const deleted_tickets = state.tickets
          .filter((ticket) => ticket.customer_id === customer_id)
          .map(({ ticket_id }) => ticket_id);
        state.customers = state.customers.filter((customer) => customer.customer_id !== customer_id);
        state.tickets = state.tickets.filter((ticket) => ticket.customer_id !== customer_id);
        return { customer_id, deleted: true, deleted_tickets };
      }),
  }),
];

export const SHOP_TOOLS: readonly ShopTool[] = [...readTools, ...writeTools];
