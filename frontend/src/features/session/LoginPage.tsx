import { Link, Navigate, useSearchParams } from "react-router";
import { canUsePasskeys } from "@/api/passkeys";
import { useSession } from "@/api/session";
import type { Session } from "@/api/types";
import { Button } from "@/ui/Button";
import { Disclosure } from "@/ui/Disclosure";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { usePageTitle } from "@/ui/PageShell";
import { safeNext, signInRefusal } from "./loginRefusal";
import { Password } from "./Password";
import { usePasskeyLogIn, useSignIn } from "./queries";
import classes from "./session.module.css";

const WITH_A_PASSWORD: Session["sign_in"] = { providers: [], passwords_for_few: false, passkeys: false, mail: false };

/** One quiet page: the providers that the operator set up, if any, and the password form. */
export function LoginPage() {
  usePageTitle("Log in");
  const session = useSession();
  const [params] = useSearchParams();
  const next = safeNext(params.get("next"));
  const signIn = useSignIn(next);
  const refused = signInRefusal(params.get("refused"));

  if (session.data?.user && !refused) return <Navigate to={next} replace />;

  const ways = session.data?.sign_in ?? WITH_A_PASSWORD;
  const few = ways.passwords_for_few;
  return (
    <div className={classes.form}>
      <h1>Log in</h1>
      {refused && !signIn.error && (
        <Notice tone="bad" title="You were not signed in">
          {refused}
        </Notice>
      )}
      <ErrorNotice error={signIn.error} />
      {ways.providers.map(({ name, title }) => (
        <Button
          key={name}
          kind={few ? "primary" : "default"}
          disabled={signIn.isPending || signIn.isSuccess}
          onClick={() => signIn.mutate(name)}
        >
          Continue with {title}
        </Button>
      ))}
      {ways.providers.length > 0 && !few && <p className={classes.or}>or with a password</p>}
      {few ? (
        <Disclosure title="Log in with a password">
          <ByPassword ways={ways} />
        </Disclosure>
      ) : (
        <ByPassword ways={ways} />
      )}
      {!few && <p className={classes.hint}>No account yet? A project admin can send you an invitation link.</p>}
    </div>
  );
}

function ByPassword({ ways }: { ways: Session["sign_in"] }) {
  return (
    <div className={classes.fields}>
      <Password />
      {ways.passkeys && canUsePasskeys() && <Passkey />}
      <p className={classes.hint}>
        {ways.mail ? (
          <Link to="/forgotten-password">Forgot the password?</Link>
        ) : (
          "Forgot the password? This site sends no mail, so ask whoever runs it."
        )}
      </p>
    </div>
  );
}

function Passkey() {
  const logIn = usePasskeyLogIn();
  return (
    <>
      <ErrorNotice error={logIn.error} />
      <Button disabled={logIn.isPending} onClick={() => logIn.mutate()}>
        Log in with a passkey
      </Button>
    </>
  );
}
