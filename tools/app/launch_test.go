package app

import (
	"runtime/debug"
	"testing"
)

func TestSourcePackage_OfBuild(t *testing.T) {
	for name, tc := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"a directory of the source": {&debug.BuildInfo{Path: "example.com/notes/cmd/notes", Main: debug.Module{Path: "example.com/notes", Version: "(devel)"}}, "example.com/notes/cmd/notes"},
		"no version":                {&debug.BuildInfo{Path: "example.com/notes", Main: debug.Module{Path: "example.com/notes"}}, "example.com/notes"},
		"a version":                 {&debug.BuildInfo{Path: "example.com/notes", Main: debug.Module{Path: "example.com/notes", Version: "v1.2.3", Sum: "h1:x"}}, "example.com/notes@v1.2.3"},
		"a version of the checkout": {&debug.BuildInfo{Path: "example.com/notes", Main: debug.Module{Path: "example.com/notes", Version: "v1.2.4-0.20261122101010-0123456789ab+dirty"}}, "example.com/notes"},
		"files":                     {&debug.BuildInfo{Path: "command-line-arguments"}, ""},
		"a test":                    {&debug.BuildInfo{Path: "example.com/notes.test", Main: debug.Module{Path: "example.com/notes"}}, ""},
		"nothing":                   {nil, ""},
	} {
		if got := sourcePackage(tc.info); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
