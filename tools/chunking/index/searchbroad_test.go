package index_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

func TestSnapshot_SearchBroadly(t *testing.T) {
	x := searched(t, "conf/a.go: readConfig", "conf/a.go: Config.read", "lib/stack.go: Stack.pushAll", "lib/stack.go: parseExpression", "lib/http.go: HTTPServer", "lib/http.go: listen_on_port",
		"test/a.go: readConfigs")
	for query, want := range map[string]struct {
		first string
		step  index.Step
	}{
		"readConfig":                            {"conf/a.go: readConfig", index.ByName},
		"read config":                           {"conf/a.go: readConfig", index.ByParts},
		"config read":                           {"conf/a.go: readConfig", index.ByParts},
		"where is the function that reads conf": {"conf/a.go: readConfig", index.ByParts},
		"configRead":                            {"conf/a.go: readConfig", index.ByParts},
		"stack push":                            {"lib/stack.go: Stack.pushAll", index.ByParts},
		"parsing expressions":                   {"lib/stack.go: parseExpression", index.ByParts},
		"pression":                              {"lib/stack.go: parseExpression", index.BySubstring},
		"praseExpresion":                        {"lib/stack.go: parseExpression", index.BySpelling},
		"prase expression":                      {"lib/stack.go: parseExpression", index.BySpelling},
		"listenOnPort":                          {"lib/http.go: listen_on_port", index.ByLetters},
		"HTTPSrever":                            {"lib/http.go: HTTPServer", index.BySpelling},
		"pa":                                    {"lib/stack.go: parseExpression", index.ByName},
		"lop":                                   {"lib/http.go: listen_on_port", index.ByLetters},
		"parse the tree expression":             {"lib/stack.go: parseExpression", index.BySomeParts},
	} {
		hits, total, step := x.Snapshot().SearchBroadly(index.Query{Text: query})
		if got := show(hits); len(got) == 0 || total < len(got) || got[0] != want.first || step != want.step {
			t.Errorf("%s: %q of %d, step %d; want %q, step %d", query, got, total, step, want.first, want.step)
		}
	}
	for _, query := range []string{"zzzz", "zz yy", "  ", "…", "zzzzzzzzzzzzzzz qqqqqqqqqqqqq"} {
		if hits, total, _ := x.Snapshot().SearchBroadly(index.Query{Text: query}); query != "  " && (len(hits) > 0 || total > 0) {
			t.Errorf("%s: %q", query, show(hits))
		}
	}
}

func TestSnapshot_SearchBroadly_Limits(t *testing.T) {
	x := searched(t, "a.go: readConfig", "b.go: readConfigs", "test/a.go: readConfiguration")
	if hits, total, _ := x.Snapshot().SearchBroadly(index.Query{Text: "config read", Limit: 2}); len(hits) != 2 || total != 3 {
		t.Errorf("%q of %d", show(hits), total)
	}
	if hits, _, _ := x.Snapshot().SearchBroadly(index.Query{Text: "config read", PathGlob: "test/**"}); len(hits) != 1 {
		t.Errorf("%q", show(hits))
	}
}

func TestSearch_SourcesBeforeTests(t *testing.T) {
	x := searched(t, "examples/a.go: push", "a_test.go: push", "z.go: push", "z.go: pushAll", "a_test.go: pushOne")
	hits, _ := x.Snapshot().Search(index.Query{Text: "push"})
	if got := show(hits); got[0] != "z.go: push" || got[3] != "z.go: pushAll" || got[4] != "a_test.go: pushOne" {
		t.Errorf("%q", got)
	}
}

func TestSecondary(t *testing.T) {
	for path, want := range map[string]bool{
		"a.go": false, "src/contest.go": false, "lib/latest/api.ts": false, "Testing.swift": false,
		"a_test.go": true, "Examples/a.go": true, "src/StackTests.swift": true, "types/index.d.ts": true, "a/b.pb.go": true, "test_a.py": true, "\xff.\xc4": false, "": false,
	} {
		if got := index.Secondary(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
