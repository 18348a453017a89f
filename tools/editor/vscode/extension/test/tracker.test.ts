import assert from "node:assert/strict";
import { test } from "node:test";
import type * as vscode from "vscode";
import { Tracker } from "../src/tracker";

const doc = (name: string, languageId = "css") => ({ uri: { toString: () => name } as vscode.Uri, languageId });

function at(): { tracker: Tracker; after: (ms: number) => void } {
  let now = 1_000_000;
  return { tracker: new Tracker(() => now), after: (ms) => void (now += ms) };
}

test("Tracker.isFresh: after a report and a quiet time", () => {
  const { tracker, after } = at();
  const a = doc("a");
  assert.equal(tracker.isFresh(a), false, "unknown");
  tracker.changed(a);
  after(60_000);
  assert.equal(tracker.isFresh(a), false, "nobody ever spoke");
  assert.equal(tracker.spoke(a), false);
  tracker.changed(a);
  after(300);
  tracker.reported(a);
  assert.equal(tracker.isFresh(a), false, "more may come");
  after(150);
  tracker.reported(a);
  after(150);
  assert.equal(tracker.isFresh(a), false, "more came");
  after(50);
  assert.equal(tracker.isFresh(a), true);
});

test("Tracker.isFresh: silence after an earlier report", () => {
  const { tracker, after } = at();
  const a = doc("a");
  const b = doc("b");
  tracker.changed(a);
  tracker.changed(b);
  after(500);
  tracker.reported(a);
  after(10_000);
  tracker.changed(a);
  after(1499);
  assert.equal(tracker.isFresh(a), false, "it took 500 ms before");
  after(1);
  assert.equal(tracker.isFresh(a), true);
  assert.equal(tracker.isFresh(b), false);
});

test("Tracker.isFresh: a very late report does not raise the delay", () => {
  const { tracker, after } = at();
  const a = doc("a");
  tracker.changed(a);
  after(10_000_000);
  tracker.reported(a);
  tracker.changed(a);
  after(1000);
  assert.equal(tracker.isFresh(a), true);
});

test("Tracker.closed: forgets the document", () => {
  const { tracker, after } = at();
  const a = doc("a");
  tracker.changed(a);
  tracker.reported(a);
  tracker.closed(a);
  after(10_000);
  assert.equal(tracker.isFresh(a), false);
  tracker.reported(a);
  assert.equal(tracker.spoke(a), false);
});

test("Tracker.isQuiet: after changes and reports", () => {
  const { tracker, after } = at();
  assert.equal(tracker.isQuiet(), true);
  tracker.changed(doc("a"));
  assert.equal(tracker.isQuiet(), false);
  after(1000);
  assert.equal(tracker.isQuiet(), true);
  tracker.reported(doc("a"));
  assert.equal(tracker.isQuiet(), false);
});
