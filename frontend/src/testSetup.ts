import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

configure({ asyncUtilTimeout: 10_000 }); // a second is not enough for a whole form on a machine that does something else

afterEach(cleanup);
