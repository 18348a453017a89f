// How a script tells what it found: one JSON object a line on standard output,
// {"check": name, "ok": boolean, "detail": text}.
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';

// deadline is how long one check may take, in milliseconds. It is far above
// what any needs, even where others use the machine: it turns a hang into a
// failure with a name, and decides nothing else.
export const deadline = 150_000;

// Late is why a check that hangs has failed.
class Late extends Error {}

// arguments of a script: options, then -- and the command of the server.
export function readArguments(options) {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [command, ...args] = positionals;
    assert.ok(command, 'the command of the server is missing');
    return { ...values, command, args };
}

// within rejects when a promise takes too long; half of what a check may take,
// so that it can say what it is that did not come.
export async function within(promise, what, limit = deadline / 2) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Late(`${what}: nothing for ${limit} ms`)), limit);
    });
    try {
        return await Promise.race([promise, late]);
    } finally {
        clearTimeout(timer);
    }
}

function report(check, ok, detail) {
    process.stdout.write(JSON.stringify({ check, ok, detail }) + '\n');
}

// runChecks runs [name, function] pairs one after the other; a function passes
// unless it throws. context adds to the report of a failure what else is known.
// After a hang it stops: what would follow is lost too, one deadline after the
// other.
export async function runChecks(checks, context = () => '') {
    for (const [name, check] of checks) {
        try {
            await within(check(), name, deadline);
            report(name, true, '');
        } catch (error) {
            report(name, false, `${error?.stack ?? error}\n${context()}`);
            if (error instanceof Late) return;
        }
    }
}

// finish ends the script even if a server or a timer is still there: whoever
// started it would wait for them.
export function finish() {
    process.stdout.write('', () => process.exit(0));
}
