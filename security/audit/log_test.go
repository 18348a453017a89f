package audit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/internal/audittest"
)

// content reads a file.
func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLog_Records(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	a := audittest.Open(t, audit.Options{Path: name, Sync: true})
	ctx := audit.WithIdentity(t.Context(), audit.Identity{UserID: "ada", SessionID: "s1"})
	params := map[string]any{"path": "a.txt", "password": "hunter2", "content": strings.Repeat("x", 5000)}
	call, err := a.Begin(ctx, audit.Entry{Operation: "write_file", Params: params})
	if err != nil {
		t.Fatal(err)
	}
	if got := audittest.Records(t, name); len(got) != 1 || got[0]["result"] != "started" {
		t.Errorf("before the effect the log holds %v", got)
	}
	if err := call.End(&security.Error{Code: security.NoSpace}); err != nil {
		t.Fatal(err)
	}
	if err := a.Record(t.Context(), audit.Entry{Operation: "read_file"}, 1500*time.Microsecond, nil); err != nil {
		t.Fatal(err)
	}
	got := audittest.Records(t, name)
	if len(got) != 3 {
		t.Fatalf("%d records", len(got))
	}
	if got[0]["id"] != got[1]["id"] || got[0]["id"] == got[2]["id"] {
		t.Errorf("identities %v, %v, %v", got[0]["id"], got[1]["id"], got[2]["id"])
	}
	for i, want := range []map[string]any{
		{"operation": "write_file", "result": "started", "userId": "ada", "sessionId": "s1"},
		{"operation": "write_file", "result": "error", "errorCode": "NO_SPACE", "userId": "ada", "sessionId": "s1"},
		{"operation": "read_file", "result": "success", "params": "{}", "durationMs": 1.5, "userId": "unknown", "sessionId": "unknown"},
	} {
		for key, value := range want {
			if got[i][key] != value {
				t.Errorf("record %d: %s is %v, want %v", i, key, got[i][key], value)
			}
		}
		if stamp := got[i]["timestamp"].(string); !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`).MatchString(stamp) {
			t.Errorf("timestamp %q", stamp)
		}
	}
	logged := got[0]["params"].(string)
	if strings.Contains(logged, "hunter2") || len(logged) > 1000 || !strings.Contains(logged, "5000 bytes, sha256 ") || !strings.Contains(logged, `"path":"a.txt"`) {
		t.Errorf("params are %s", logged)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the log has mode %v, %v", info.Mode(), err)
	}
}

func TestLog_InMemory(t *testing.T) {
	var none *audit.Log
	call, err := none.Begin(t.Context(), audit.Entry{Operation: "x"})
	if err != nil || call.End(nil) != nil || none.Record(t.Context(), audit.Entry{}, 0, nil) != nil || none.Recent(1) != nil || none.Close() != nil {
		t.Error("a nil Audit is not quiet")
	}
	var zero audit.Log
	for i := range 300 {
		if err := zero.Record(t.Context(), audit.Entry{Operation: fmt.Sprint(i)}, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	recent := zero.Recent(1000)
	if len(recent) != 256 || recent[0].Operation != "299" || recent[255].Operation != "44" {
		t.Errorf("%d recent records, from %s to %s", len(recent), recent[0].Operation, recent[len(recent)-1].Operation)
	}
	if two := zero.Recent(2); len(two) != 2 || two[1].Operation != "298" {
		t.Errorf("Recent(2) = %v", two)
	}
	if zero.Recent(0) != nil || zero.Close() != nil {
		t.Error("the zero Audit is wrong at the edges")
	}
	small := audittest.Open(t, audit.Options{Recent: 3})
	for i := range 2 {
		if err := small.Record(t.Context(), audit.Entry{Operation: fmt.Sprint(i)}, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := small.Recent(5); len(got) != 2 || got[0].Operation != "1" {
		t.Errorf("Recent = %v", got)
	}
}

// TestLog_Rotates writes from many goroutines through two Audits of one file, and finds every record again.
func TestLog_Rotates(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	o := audit.Options{Path: name, MaxSize: 4000, MaxFiles: 40}
	audits := []*audit.Log{audittest.Open(t, o), audittest.Open(t, o)}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for j := range 50 {
				if err := audits[i%2].Record(t.Context(), audit.Entry{Operation: fmt.Sprintf("%d-%d", i, j)}, 0, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	files, err := filepath.Glob(name + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	seen := map[any]bool{}
	for _, file := range files {
		for _, record := range audittest.Records(t, file) {
			seen[record["operation"]] = true
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d of 200 records are there", len(seen))
	}
}

func TestLog_DropsTheOldest(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	a := audittest.Open(t, audit.Options{Path: name, MaxSize: 1, MaxFiles: 2})
	for i := range 5 {
		if err := a.Record(t.Context(), audit.Entry{Operation: fmt.Sprint(i)}, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{name: "4", name + ".1": "3", name + ".2": "2"} {
		if got := audittest.Records(t, file); len(got) != 1 || got[0]["operation"] != want {
			t.Errorf("%s holds %v, want %s", file, got, want)
		}
	}
	if _, err := os.Stat(name + ".3"); err == nil {
		t.Error("too many files are kept")
	}
}

func TestLog_AfterACrash(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(name, []byte(`{"id":"1"}`+"\n"+`{"id":"2","op`), 0o600); err != nil {
		t.Fatal(err)
	}
	a := audittest.Open(t, audit.Options{Path: name})
	if err := a.Record(t.Context(), audit.Entry{Operation: "next"}, 0, nil); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(content(t, name), "\n")
	if len(lines) != 4 || !strings.Contains(lines[2], `"next"`) {
		t.Errorf("the log holds %q", lines)
	}
	// The file is removed under it, and made again.
	if err := os.Remove(name); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	if err := a.Record(t.Context(), audit.Entry{Operation: "again"}, 0, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(content(t, name), `"again"`) {
		t.Error("the record went into a file without a name")
	}
}

func TestLog_CannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, filepath.Join(dir, "file", "x"), filepath.Join(dir, "missing", "x")} {
		if _, err := audit.Open(audit.Options{Path: name}); security.CodeOf(err) != security.AuditFailed {
			t.Errorf("audit log at %q: %v", name, err)
		}
	}
}

func TestLog_ClosedSaysTheNextStep(t *testing.T) {
	log := audittest.Open(t, audit.Options{Path: filepath.Join(t.TempDir(), "audit.log")})
	log.Close()
	_, err := log.Begin(t.Context(), audit.Entry{Operation: "write"})
	failed, ok := errors.AsType[*audit.Error](err)
	if !ok {
		t.Fatalf("a closed log has recorded: %v", err)
	}
	want := (&security.Error{Code: security.AuditFailed}).NextStep()
	if security.CodeOf(err) != security.AuditFailed || failed.NextStep() != want || !strings.HasPrefix(failed.Error(), "The audit log cannot be written: ") {
		t.Errorf("the error is %s %q with the next step %q", failed.ErrorCode(), failed, failed.NextStep())
	}
}
