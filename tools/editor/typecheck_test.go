package editor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// A server that checks no types reports no errors, which is no zero.
func TestDiagnostics_TypesNotChecked(t *testing.T) {
	files := map[string]string{
		"a.ts": "// @ts-nocheck\nlet a: string = 1\n", "b.js": "null.f()\n", "c.ts": "let c = 1\n", "web/jsconfig.json": `{"compilerOptions": {"checkJs": true}}`, "web/d.js": "null.f()\n",
		"ign/e.py": "broken", "f.py": "", "pyrightconfig.json": `{"ignore": ["ign"]}`,
	}
	for _, test := range []struct{ name, path, by, want string }{
		{"NoCheck", "a.ts", "typescript-language-server", "unchecked: a.ts, by typescript-language-server: only its syntax was checked, because of its comment @ts-nocheck"},
		{"NoCheckInEditor", "a.ts", "", "unchecked: a.ts, by brain: only its syntax"},
		{"NoCheckOtherServer", "a.ts", "eslint", "checked: a.ts, by eslint"},
		{"TypeScript", "c.ts", "tsc", "checked: c.ts, by tsc"},
		{"JavaScript", "b.js", "tsc", "unchecked: b.js, by tsc: only its syntax was checked: TypeScript checks JavaScript only with checkJs. Set checkJs"},
		{"JavaScriptChecked", "web/d.js", "tsc", "checked: web/d.js"},
		{"Ignored", "ign/e.py", "basedpyright", "unchecked: ign/e.py, by grammar: only its syntax was checked: ignore in pyrightconfig.json"},
		{"IgnoredOtherServer", "ign/e.py", "ruff (lint rules, no types)", "checked: ign/e.py, by ruff"},
		{"Python", "f.py", "pyright", "checked: f.py, by pyright"},
	} {
		t.Run(test.name, func(t *testing.T) {
			mind := newFakeServer()
			mind.diagnose = checksOf(adapter.FileCheck{State: adapter.Checked, By: test.by})
			s := with(mind)
			s.options.Syntax, s.options.RetryDelay = syntaxOf{extension: ".py"}, time.Millisecond
			p := newProject(t, s, files)
			text := call(t, p.Diagnostics, editor.DiagnosticsArgs{Path: test.path}).TextContent()
			if !strings.Contains(text, "["+test.want) {
				t.Errorf("the result is\n%s\nwithout %q", text, test.want)
			}
			if found := strings.Contains(text, "unexpected broken"); found != (test.name == "Ignored") {
				t.Errorf("the result has a syntax error: %v\n%s", found, text)
			}
		})
	}
}

// The check after a change is limited as that of get_diagnostics.
func TestFeedback_TypesNotChecked(t *testing.T) {
	files := map[string]string{"b.js": "f()\n", "e.py": "f()\n", "pyproject.toml": "[tool.pyright]\nignore = [\"**\"]\n"}
	for _, test := range []struct{ name, path, by, checkedBy, reason string }{
		{"JavaScript", "b.js", "tsc", "tsc", "only its syntax was checked"},
		{"Ignored", "e.py", "pyright", "grammar", "only its syntax was checked: ignore in pyproject.toml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			mind := newFakeServer()
			mind.diagnose = checksOf(adapter.FileCheck{State: adapter.Checked, By: test.by})
			s := with(mind)
			s.options.Syntax, s.options.Feedback = syntaxOf{extension: ".py"}, time.Minute
			p := newProject(t, s, files)
			got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: test.path, Line: 1, Content: "broken()"})
			if got.Diagnostics != string(adapter.Unchecked) || got.CheckedBy != test.checkedBy || !strings.HasPrefix(got.Reason, test.reason) {
				t.Errorf("the feedback is %+v", got.Feedback)
			}
			if len(got.NewErrors) != 0 != (test.name == "Ignored") {
				t.Errorf("the new errors are %+v", got.NewErrors)
			}
		})
	}
}
