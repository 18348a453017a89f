// Servers that are reached over the network. Each also serves its standard
// input, and ends when that does.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { History } from './history.mjs';

const running = new Map();

// reach starts a server, unless the script has one with the same arguments, and
// returns {process, stdout, stderr, url}: lines, and a function that gives the
// URL of a path.
export function reach({ command, args, cwd }) {
    const key = JSON.stringify([command, args, cwd]);
    if (!running.has(key)) running.set(key, start(command, args, cwd));
    return running.get(key);
}

async function start(command, args, cwd) {
    const process = spawn(command, [...args, '-http', '127.0.0.1:0'], { cwd, stdio: 'pipe' });
    const [stdout, stderr] = [process.stdout, process.stderr].map(input => {
        const lines = new History();
        createInterface({ input }).on('line', line => lines.add(line));
        return lines;
    });
    const said = await stderr.until(line => /http:\/\/\S/.test(line), 'the address on standard error');
    const [base] = /http:\/\/[^\s/]+/.exec(said);
    return { process, stdout, stderr, url: path => new URL(path, base) };
}
