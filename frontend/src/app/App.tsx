import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "react-router/dom";
import { isRetryable, tookTooLong } from "@/api/client";
import { COLOR_SCHEME_KEY, cssVariablesResolver, theme } from "@/ui/theme";
import { router } from "./routes/router";

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && isRetryable(error) && !tookTooLong(error),
      staleTime: 10_000,
    },
    mutations: { retry: false },
  },
});
const colorSchemeManager = localStorageColorSchemeManager({ key: COLOR_SCHEME_KEY });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
