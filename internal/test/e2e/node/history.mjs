import { within } from './report.mjs';

// History is what has happened so far, and a way to wait for more.
export class History {
    #entries = [];
    #looking = new Set();

    add(entry) {
        this.#entries.push(entry);
        this.#looking.forEach(look => look());
    }

    get length() {
        return this.#entries.length;
    }

    slice(start, end) {
        return this.#entries.slice(start, end);
    }

    filter(fits) {
        return this.#entries.filter(fits);
    }

    // until waits for an entry that fits, from position start on.
    until(fits, what, start = 0) {
        let look;
        const found = new Promise(resolve => {
            look = () => {
                const entry = this.#entries.slice(start).find(fits);
                if (entry !== undefined) resolve(entry);
            };
            this.#looking.add(look);
            look();
        });
        return within(found, `waiting for ${what}`).finally(() => this.#looking.delete(look));
    }
}
