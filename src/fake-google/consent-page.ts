import type { Asked } from './oauth.ts'

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

/** The page on which a person chooses the account and what it grants. Its form brings back the whole ask. */
export function consentPage({ scopes, loginHint, redirectUri }: Asked, ask: string): string {
  const boxes = scopes
    .filter((scope) => scope.startsWith('https://'))
    .map(
      (scope) =>
        `<p><label><input type="checkbox" name="scope" value="${escaped(scope)}" checked> ${escaped(scope)}</label></p>`,
    )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Not Google</title>
<style>body{font:16px/1.5 system-ui;max-width:34rem;margin:3rem auto;padding:0 1rem}button,input[type=email]{font:inherit;padding:.4rem .8rem}</style>
<h1>This plays Google</h1>
<p>Nothing here is real, and no mail leaves this machine. A program at ${escaped(new URL(redirectUri).host)} asks for a mailbox.</p>
<form method="post" action="/consent">
<input type="hidden" name="ask" value="${escaped(ask)}">
<p><label>Sign in as<br><input type="email" name="email" required value="${escaped(loginHint)}" size="36"></label></p>
${boxes.join('\n')}
<p><button name="answer" value="allow">Allow</button> <button name="answer" value="deny" formnovalidate>Cancel</button></p>
</form></html>`
}
