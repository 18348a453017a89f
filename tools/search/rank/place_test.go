package rank_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
)

// Purposes of files by their paths.
func TestSortOf(t *testing.T) {
	for path, want := range map[string]string{
		"net/http/server.go":               "",
		"net/http/server_test.go":          "test",
		"src/a.test.ts":                    "test",
		"src/__tests__/a.ts":               "test",
		"tests/test_forms.py":              "test",
		"src/UserServiceTest.java":         "test",
		"src/Latest.java":                  "",
		"testing/quick/quick.go":           "",
		"testdata/a.txt":                   "test",
		"archive/zip/zip_reader.go":        "",
		"go/build/build.go":                "",
		"syscall/zerrors_linux_amd64.go":   "generated",
		"api/user.pb.go":                   "generated",
		"dist/app.min.js":                  "generated",
		"vendor/x/y.go":                    "vendored",
		"web/node_modules/a/test/b.js":     "test vendored",
		"examples/hello/main.go":           "example",
		"src/legacy/old.py":                "legacy",
		"types/index.d.ts":                 "types",
		"web/package-lock.json":            "generated",
		"go.sum":                           "generated",
		"data/package.json":                "",
		"CHANGELOG.md":                     "changes",
		"Docs/Guide.md":                    "",
		"C:/work/src/main.rs":              "",
		"packages/a/spec/models/user.rb":   "test",
		"ios/Tests/ModuleSpec.swift":       "test",
		"kube/zz_generated.deepcopy.go":    "generated",
		"src/main/java/com/x/Spec.java":    "test",
		"src/main/java/com/x/Context.java": "",
	} {
		found := index.Found{Candidates: []index.Candidate{candidate(path+" function thing", 1)}}
		if got := rank.Order(rank.Parse("unrelated words"), found, rank.Options{}); got[0].Why != want {
			t.Errorf("%s: %q, want %q", path, got[0].Why, want)
		}
		if got := rank.Secondary(path); got != (want != "" && want != "types" && want != "changes") {
			t.Errorf("%s is secondary: %v", path, got)
		}
	}
}
