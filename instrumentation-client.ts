/** Runs in the browser before the first page comes alive. */
import { keepPage } from "@/components/ui/online";

keepPage();
