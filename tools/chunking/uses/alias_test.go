package uses_test

import "testing"

func TestFind_TypeScriptImportedNames(t *testing.T) {
	checkUses(t, "load", texts{
		"a.ts":      "export function load() {} //T\nexport { load as fetch };\nexport default load; //R\n",
		"b.ts":      "import { load as ld } from './a';\nld(); //R\nexport { ld as again };\nfunction f(ld: () => void) { ld(); }\n",
		"index.ts":  "export { fetch as start, default as first } from './a';\nexport * from './b';\nexport * as all from './a';\n",
		"c.ts":      "import { start, again as go, first as one } from '.';\nstart(); //R\ngo(); //R\none(); //R\n",
		"d.ts":      "import whatever, { all } from './index';\nimport anything from './a';\nimport * as ns from './a';\nanything(); //R\nns.load(); //R\nns.fetch(); //R\nall.load(); //R\nns.default(); //R\n",
		"e.js":      "const { load: taken, fetch } = require('./a');\nconst whole = require('./a').load; //R\ntaken(); //R\nfetch(); //R\nwhole(); //R\nrequire('./a').load(); //R\n",
		"f.ts":      "import { load as lost } from './missing';\nlost(); //U\n",
		"g.ts":      "import { load as other } from 'lodash';\nother();\n",
		"h.ts":      "import { load as there } from '@/lib/a';\nthere(); //U\n",
		"unused.ts": "import { fetch } from './other';\nfetch();\n",
		"other.ts":  "export function fetch() {}\nfetch();\n",
	}, "ld", "fetch", "start", "go", "one", "anything", "taken", "whole", "lost", "there", "default")
}

func TestFind_TypeScriptDefaultExport(t *testing.T) {
	checkUses(t, "load", texts{
		"lib/load.ts":   "export default function load() {} //T\n",
		"lib/index.ts":  "export { default } from './load';\nexport { default as reload } from './load';\n",
		"main.ts":       "import run, { reload } from './lib';\nrun(); //R\nreload(); //R\n",
		"direct.ts":     "import anything from './lib/load';\nanything(); //R\n",
		"other.ts":      "import run from './another';\nrun();\n",
		"another.ts":    "export default function () {}\n",
		"equals.ts":     "import eq = require('./common');\neq();\n",
		"common.js":     "module.exports = function () {};\n",
		"lib/config.ts": "export const load = 1;\n",
	}, "run", "reload", "anything")
}

func TestFind_CommonModuleNames(t *testing.T) {
	checkUses(t, "load", texts{
		"one.js":   "function load() {} //T\nmodule.exports = load; //R\n",
		"use.js":   "const anything = require('./one');\nanything(); //R\n",
		"es.ts":    "import start from './one';\nimport eq = require('./one');\nstart(); //R\neq(); //R\n",
		"other.js": "const anything = require('./two');\nanything();\n",
		"two.js":   "module.exports = function () {};\n",
	}, "anything", "start", "eq")
	checkUses(t, "load", texts{
		"many.js":  "function load() {} //T\nmodule.exports = { load, again: load }; //R\n",
		"third.js": "exports.third = require('./many').load; //R\n",
		"use.js":   "const m = require('./many');\nconst { again } = require('./many'); const { third: also } = require('./third');\nm.load(); //R\nm.again(); //R\nagain(); //R\nalso(); //R\n",
	}, "again", "also")
}

func TestFind_StoredFunctions(t *testing.T) {
	r := checkUses(t, "load", texts{
		"a.ts":    "export function load() {} //T\nconst handler = load; //R\nhandler(); //P\nconst api = { open: load, load }; //R\napi.open(); //P\napi.load(); //P\n",
		"b.ts":    "import { load } from './a';\nlist.map(load); //R\ntable['load'](); \nload(); //R\n",
		"same.ts": "import * as a from './a';\nconst load = a.load; //R\nload(); //P\n",
	}, "handler", "open")
	if values := countValues(r); values != 1 || r.Quoted != 1 {
		t.Errorf("%d values, %d strings", values, r.Quoted)
	}
	r = checkUses(t, "load", texts{
		"a.py": "def load(): pass #T\nhandler = load #R\nhandler() #P\nclass A:\n    def __init__(self):\n        self.run = load #R\n    def go(self):\n        self.run() #P\n",
		"b.py": "import a\nregister(a.load) #R\ngetattr(a, \"load\")()\n",
	}, "handler", "run")
	if values := countValues(r); values != 1 || r.Quoted != 1 {
		t.Errorf("%d values, %d strings", values, r.Quoted)
	}
}

func TestFind_PythonImportedNames(t *testing.T) {
	checkUses(t, "load", texts{
		"pkg/impl.py":      "def load(): pass #T\n",
		"pkg/__init__.py":  "from .impl import load as fetch\nfrom .impl import *\n",
		"main.py":          "from pkg import fetch as start\nfrom pkg import load\nimport pkg.impl as q\nimport pkg\nstart() #R\nload() #R\nq.load() #R\npkg.fetch() #R\npkg.impl.load() #R\n",
		"local.py":         "def f():\n    from pkg.impl import load as inner\n    inner() #R\ndef g(inner):\n    inner()\n",
		"other.py":         "from other_package import load as fetch\nfetch()\n",
		"missing.py":       "from .gone import load as lost\nlost() #U\n",
		"deep/in/tests.py": "from pkg.impl import load as ld\nld() #R\n",
	}, "fetch", "start", "inner", "lost", "ld")
}

func TestFind_JavaReferences(t *testing.T) {
	checkUses(t, "run", texts{
		"a/Job.java": `package a;
public class Job {
  public static void run() {} //T
  public static void run(int n) {}
  void go(Runnable r, java.util.function.IntConsumer c) {
    go(Job::run, null); //R
    go(null, Job::run);
    unknown(Job::run); //U
    java.util.function.IntConsumer one = Job::run;
    Runnable none = Job::run; //R
    run(); //R
    run(1);
    Job.run(); //R
  }
}
`,
		"b/Main.java": `package b;
import static a.Job.run;
class Main { void go() { run(); run(2); } } //R
`,
		"b/Star.java": `package b;
import static a.Job.*;
class Star { void go() { run(); } } //R
`,
	})
	r := checkUses(t, "stop", texts{"Job.java": "class Job {\n  void stop() {} //T\n  void go() { later(this::stop); } //R\n}\n"})
	if countValues(r) != 1 {
		t.Errorf("%+v", r.Uses)
	}
}

func TestFind_GoFunctionValues(t *testing.T) {
	r := checkUses(t, "run", texts{
		"go.mod": goMod,
		"a.go": `package a

import "net/http"

func run() {} //T
func handle(w http.ResponseWriter, r *http.Request) {}

type server struct{ start func() }

func (server) run() {}

var hook = run //R

func use(s server, m map[string]func()) {
	f := run //R
	f()
	hook() //P
	register(run) //R
	m["run"]()
	_ = server{start: run} //R
	g := s.run
	g()
}

func register(f func()) { f() }
`,
	}, "hook")
	if values := countValues(r); values != 3 || r.Quoted != 1 {
		t.Errorf("%d values, %d strings", values, r.Quoted)
	}
	r = checkUses(t, "Run", texts{
		"go.mod":  goMod,
		"a/a.go":  "package a\n\ntype Job struct{}\n\nfunc (Job) Run() {} //T\n\nfunc Start() {}\n",
		"main.go": "package main\n\nimport \"example.com/shop/a\"\n\nfunc main() {\n\tvar j a.Job\n\tgo j.Run() //R\n\tf := j.Run //R\n\tf()\n\tdefer a.Job.Run(j) //R\n}\n",
	})
	if countValues(r) != 1 {
		t.Errorf("%+v", r.Uses)
	}
}

func TestFind_GoExportedVariable(t *testing.T) {
	checkUses(t, "run", texts{
		"go.mod":  goMod,
		"a/a.go":  "package a\n\nfunc run() {} //T\n\nvar Run = run //R\n",
		"main.go": "package main\n\nimport \"example.com/shop/a\"\n\nfunc main() { a.Run() } //P\n",
	}, "Run")
}

func TestFind_ScriptGlobals(t *testing.T) {
	checkUses(t, "load", texts{
		"a.js": "function load() {} //T\n",
		"b.js": "load(); //R\nfunction f(load) { load(); }\n",
		"c.js": "import './x';\nload(); //R\n",
	})
	checkUses(t, "load", texts{
		"a.js": "function load() {} //T\nload(); //R\n",
		"b.js": "function load() {}\nload();\n",
		"c.js": "load(); //U\n",
	})
	checkUses(t, "run", texts{
		"a.ts": "namespace App {\n  export function run() {} //T\n}\n",
		"b.ts": "namespace App {\n  export function go() { run(); } //R\n}\n",
		"c.ts": "App.run(); //R\nconst { run } = App;\nrun(); //R\n",
		"d.ts": "namespace Other { export function run() {} }\nOther.run();\n",
	})
	checkUses(t, "push", texts{
		"a.js": "class Stack { push() {} } //T\nclass Log { push() {} }\n",
		"b.js": "function make() { return new Stack(); }\n",
		"c.js": "make().push(); //R\nnew Log().push();\n",
	})
}

func TestFind_StructuralTypes(t *testing.T) {
	checkUses(t, "run", texts{"a.ts": `
interface Runner { run(): void; name?: string }
interface Worker { run(): void; work(): void }
class Job { run() {} } //T
function start(r: Runner, w: Worker, o: { run(): void }) {
  r.run(); //U
  w.run();
  o.run(); //U
}
start(new Job(), null!, new Job());
`})
	checkUses(t, "run", texts{"a.py": "from typing import Protocol\nclass Runner(Protocol):\n    def run(self): ...\nclass Worker(Protocol):\n    def run(self): ...\n    def work(self): ...\nclass Job:\n    def run(self): pass #T\ndef start(r: Runner, w: Worker, j: Job):\n    r.run() #U\n    w.run()\n    j.run() #R\n"})
}

func TestFind_ScriptMixins(t *testing.T) {
	checkUses(t, "run", texts{"a.js": `
const mixin = { run() {} }; //T
class Job {}
Object.assign(Job.prototype, mixin);
new Job().run(); //U
mixin.run(); //R
`})
	checkUses(t, "run", texts{"a.js": `
const Runs = (Base) => class extends Base { run() {} }; //T
class Job extends Runs(Object) {}
new Job().run(); //R
`})
}

func TestFind_ScriptPrototypes(t *testing.T) {
	checkUses(t, "run", texts{"a.js": `
function Job() {}
Job.prototype.run = function () {}; //T
Job.make = function () { return new Job(); };
function Other() {}
Other.prototype = { run() {} };
class Third { run() {} }
new Job().run(); //R
Job.make().run(); //R
new Other().run();
new Third().run();
unknown(x => x.run()); //U
`})
	checkUses(t, "make", texts{"a.js": "function Job() {}\nJob.make = function () {}; //T\nJob.make(); //R\nfunction Other() {}\nOther.make();\n"})
}
