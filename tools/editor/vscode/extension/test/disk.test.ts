import assert from "node:assert/strict";
import * as fs from "node:fs";
import { test } from "node:test";
import { Disk } from "../src/disk";
import { project } from "./project";

const never = new AbortController().signal;

test("Disk.isSeen: after a report, or after the timeout", () => {
  let now = 100_000;
  const disk = new Disk(() => now);
  const written = now;
  assert.equal(disk.isSeen("/a", written), false);
  disk.changed("/b");
  assert.equal(disk.isSeen("/a", written), false, "another file");
  now += 100;
  disk.changed("/a");
  assert.equal(disk.isSeen("/a", written), false, "by its extensions");
  now += 300;
  assert.equal(disk.isSeen("/a", written), true);
  assert.equal(disk.isSeen("/a", written + 1500), false, "written again");
  now += 4000;
  assert.equal(disk.isSeen("/never watched", now - 2001), true);
});

test("Disk.caughtUp: waits until the end", async (t) => {
  const file = project(t, { a: "a" });
  const disk = new Disk();
  fs.utimesSync(file("a"), new Date(), new Date(Date.now() - 500));
  disk.changed(file("a"));
  assert.equal(await disk.caughtUp([{ path: file("a"), ago: 0 }], Date.now() + 60_000, never), true, "seen before the server said so");
  const soon = Date.now() + 100;
  fs.utimesSync(file("a"), new Date(), new Date(soon));
  const waiting = disk.caughtUp([{ path: file("a"), ago: 0 }], Date.now() + 60_000, never);
  setTimeout(() => disk.changed(file("a")), 150);
  assert.equal(await waiting, true);
  assert.ok(Date.now() >= soon, "seen only after it was written again");
  assert.equal(await disk.caughtUp([], 0, never), true);
  assert.equal(await disk.caughtUp([{ path: "/b", ago: 0 }], Date.now() + 30, never), false);
  const stop = new AbortController();
  stop.abort();
  assert.equal(await disk.caughtUp([{ path: "/c", ago: 0 }], Date.now() + 60_000, stop.signal), false);
});
