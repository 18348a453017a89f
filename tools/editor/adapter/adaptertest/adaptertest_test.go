package adaptertest_test

import (
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testfault"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/adapter/adaptertest"
)

// harness describes memory.
func harness(fault string) adaptertest.Harness {
	h := adaptertest.Harness{
		New:        func(*testing.T, string) adapter.Adapter { return newMemory(fault, true) },
		NotRunning: func(*testing.T, string) adapter.Adapter { return newMemory(fault, false) },
		Open:       func(t *testing.T, a adapter.Adapter, path string) { a.(*memory).open(t, path) },
		Files:      map[string]string{"src/a.x": "let  count\n漢😀 count FIXME\n"}, Code: "src/a.x", Symbol: "count",
		Diagnostic: "FIXME is left", Formatted: "let count\n漢😀 count FIXME\n",
	}
	if fault == "listener" {
		h.Timeout = 300 * time.Millisecond
	}
	return h
}

func TestRun(t *testing.T) { adaptertest.Run(t, harness("")) }

// TestFault runs in the processes of TestRun_Faults.
func TestFault(t *testing.T) { adaptertest.Run(t, harness(testfault.Selected(t))) }

// Each violation of the contract fails a test.
func TestRun_Faults(t *testing.T) {
	for fault, message := range map[string]string{
		"state": "is that of a running editor", "watch": "Watch itself called", "closed": "succeeded after Close", "not running": "must wrap ErrNotRunning",
		"unsaved": "Unsaved returned", "line ends": "a document with CRLF has the text", "ended edit": "although its context had ended", "stale": "must wrap ErrStale",
		"columns": "the text must be", "disk": "an edit without save changed the file", "cursor": "Active returned", "fresh": "although its context had ended",
		"covered": "a missing file is reported as checked", "range": "there is no line 100", "fix": "cannot be applied", "kinds": "is not of the kind refactor.extract",
		"format": "two edits overlap", "definition": "the definition of count", "outside": "outside of the document returned edits", "rename": "after a rename the text is",
		"write": "the adapter has changed src/a.x", "listener": "FilesChanged has not returned", "reason": "a next step without a reason",
		"mixed": "Symbols at the same time as other calls returned []", "panic": "a concurrent call panicked: a second call",
	} {
		t.Run(fault, func(t *testing.T) { testfault.Expect(t, fault, "^TestFault$", message) })
	}
}
