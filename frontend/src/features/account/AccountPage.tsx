import { useMantineColorScheme } from "@mantine/core";
import { useLogOut, useUser } from "@/api/session";
import { Button } from "@/ui/Button";
import { Choices } from "@/ui/Form";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { ApiTokens } from "./ApiTokens";
import { Browsers } from "./Browsers";
import { ChangePassword } from "./ChangePassword";
import { NoticeChoices } from "./NoticeChoices";
import { SecondFactors } from "./SecondFactors";

/** The person's own account: who they are, appearance, how they log in, API tokens. */
export function AccountPage() {
  const user = useUser();
  const logOut = useLogOut();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <PageHeading
        title="Account"
        actions={
          <Button disabled={logOut.isPending} onClick={() => logOut.mutate()}>
            Log out
          </Button>
        }
      />
      <Panel>
        <Facts
          facts={[
            ["User name", user.username],
            ["Name", user.display_name || user.username],
            ["Email", user.email || "none"],
            ["Projects", user.is_superuser ? "all, as a superuser" : String(user.memberships.length)],
          ]}
        />
      </Panel>
      <Panel
        title="Appearance"
        note="Kept in this browser. Text size, density, the clock, breaks and keys are chosen on the labeling page: ⇧S and ?."
      >
        <Choices
          legend="Colours"
          name="color-scheme"
          row
          value={colorScheme}
          onChange={setColorScheme}
          choices={[
            { value: "auto", name: "System", means: "Follows the setting of this device." },
            { value: "light", name: "Light", means: "Dark ink on warm paper." },
            { value: "dark", name: "Dark", means: "For evenings and dim rooms." },
          ]}
        />
      </Panel>
      <NoticeChoices />
      <ChangePassword />
      <SecondFactors />
      <Browsers />
      <ApiTokens />
    </>
  );
}
