import { useMantineColorScheme } from "@mantine/core";
import { runsAProject, useLogOut, useUser } from "@/api/session";
import { Button, ButtonLink } from "@/ui/Button";
import { Choices } from "@/ui/Form";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { ApiTokens, FoldedApiTokens } from "./ApiTokens";
import { Browsers } from "./Browsers";
import { ChangePassword } from "./ChangePassword";
import { NoticeChoices } from "./NoticeChoices";
import { SecondFactors } from "./SecondFactors";

/** Your own account: who you are, appearance, how you log in, API tokens. */
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
            ["Projects", user.is_superuser ? "all: you run this site" : String(user.memberships.length)],
          ]}
        />
      </Panel>
      <Panel
        title="Appearance"
        note="Colours are saved in this browser. Text size, density, breaks and keys of the labeling page are saved with your account."
        actions={<ButtonLink to="/account/labeling">Labeling page</ButtonLink>}
      >
        <Choices
          legend="Colours"
          name="color-scheme"
          row
          value={colorScheme}
          onChange={setColorScheme}
          choices={[
            { value: "auto", name: "System", means: "Follows this device’s setting." },
            { value: "light", name: "Light", means: "Dark ink on warm paper." },
            { value: "dark", name: "Dark", means: "For evenings and dim rooms." },
          ]}
        />
      </Panel>
      <NoticeChoices />
      <ChangePassword />
      <SecondFactors />
      <Browsers />
      {runsAProject(user) ? <ApiTokens /> : <FoldedApiTokens />}
    </>
  );
}
