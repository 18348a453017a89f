package security_test

import (
	"bufio"
	"context"
	"encoding/json"
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
)

func openAudit(t *testing.T, o security.AuditOptions) *security.Audit {
	t.Helper()
	a, err := security.OpenAudit(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// records reads an audit log as any other program would.
func records(t *testing.T, name string) []map[string]any {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []map[string]any
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var record map[string]any
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatalf("%s: %q: %v", name, lines.Text(), err)
		}
		list = append(list, record)
	}
	return list
}

func TestAuditRecords(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	a := openAudit(t, security.AuditOptions{Path: name, Sync: true})
	ctx := security.WithIdentity(t.Context(), security.Identity{UserID: "ada", SessionID: "s1"})
	params := map[string]any{"path": "a.txt", "password": "hunter2", "content": strings.Repeat("x", 5000)}
	call, err := a.Begin(ctx, security.AuditEntry{Operation: "write_file", Params: params})
	if err != nil {
		t.Fatal(err)
	}
	if got := records(t, name); len(got) != 1 || got[0]["result"] != "started" {
		t.Errorf("before the effect the log holds %v", got)
	}
	if err := call.End(&security.Error{Code: security.NoSpace}); err != nil {
		t.Fatal(err)
	}
	if err := a.Log(t.Context(), security.AuditEntry{Operation: "read_file"}, 1500*time.Microsecond, nil); err != nil {
		t.Fatal(err)
	}
	got := records(t, name)
	if len(got) != 3 {
		t.Fatalf("%d records", len(got))
	}
	if got[0]["id"] != got[1]["id"] || got[0]["id"] == got[2]["id"] {
		t.Errorf("identities %v, %v, %v", got[0]["id"], got[1]["id"], got[2]["id"])
	}
	for i, want := range []map[string]any{
		{"operation": "write_file", "result": "started", "userId": "ada", "sessionId": "s1"},
		{"operation": "write_file", "result": "error", "errorCode": "NO_SPACE", "userId": "ada", "sessionId": "s1"},
		{"operation": "read_file", "result": "ok", "params": "{}", "durationMs": 1.5, "userId": "unknown", "sessionId": "unknown"},
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

func TestAuditWithoutAFile(t *testing.T) {
	var none *security.Audit
	call, err := none.Begin(t.Context(), security.AuditEntry{Operation: "x"})
	if err != nil || call.End(nil) != nil || none.Log(t.Context(), security.AuditEntry{}, 0, nil) != nil || none.Recent(1) != nil || none.Close() != nil {
		t.Error("a nil Audit is not quiet")
	}
	var zero security.Audit
	for i := range 300 {
		if err := zero.Log(t.Context(), security.AuditEntry{Operation: fmt.Sprint(i)}, 0, nil); err != nil {
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
	small := openAudit(t, security.AuditOptions{Recent: 3})
	for i := range 2 {
		if err := small.Log(t.Context(), security.AuditEntry{Operation: fmt.Sprint(i)}, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := small.Recent(5); len(got) != 2 || got[0].Operation != "1" {
		t.Errorf("Recent = %v", got)
	}
}

// TestAuditRotates writes from many goroutines through two Audits of one file, and finds every record again.
func TestAuditRotates(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	o := security.AuditOptions{Path: name, MaxSize: 4000, MaxFiles: 40}
	audits := []*security.Audit{openAudit(t, o), openAudit(t, o)}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for j := range 50 {
				if err := audits[i%2].Log(t.Context(), security.AuditEntry{Operation: fmt.Sprintf("%d-%d", i, j)}, 0, nil); err != nil {
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
		for _, record := range records(t, file) {
			seen[record["operation"]] = true
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d of 200 records are there", len(seen))
	}
}

func TestAuditDropsTheOldest(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	a := openAudit(t, security.AuditOptions{Path: name, MaxSize: 1, MaxFiles: 2})
	for i := range 5 {
		if err := a.Log(t.Context(), security.AuditEntry{Operation: fmt.Sprint(i)}, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{name: "4", name + ".1": "3", name + ".2": "2"} {
		if got := records(t, file); len(got) != 1 || got[0]["operation"] != want {
			t.Errorf("%s holds %v, want %s", file, got, want)
		}
	}
	if _, err := os.Stat(name + ".3"); err == nil {
		t.Error("too many files are kept")
	}
}

func TestAuditAfterACrash(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(name, []byte(`{"id":"1"}`+"\n"+`{"id":"2","op`), 0o600); err != nil {
		t.Fatal(err)
	}
	a := openAudit(t, security.AuditOptions{Path: name})
	if err := a.Log(t.Context(), security.AuditEntry{Operation: "next"}, 0, nil); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(onDisk(t, name), "\n")
	if len(lines) != 4 || !strings.Contains(lines[2], `"next"`) {
		t.Errorf("the log holds %q", lines)
	}
	// The file is removed under it, and made again.
	if err := os.Remove(name); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	if err := a.Log(t.Context(), security.AuditEntry{Operation: "again"}, 0, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(onDisk(t, name), `"again"`) {
		t.Error("the record went into a file without a name")
	}
}

func TestAuditThatCannotBeOpened(t *testing.T) {
	dir := layout(t, map[string]string{"file": "x"})
	for _, name := range []string{dir, filepath.Join(dir, "file", "x"), filepath.Join(dir, "missing", "x")} {
		if _, err := security.OpenAudit(security.AuditOptions{Path: name}); security.CodeOf(err) != security.AuditFailed {
			t.Errorf("audit log at %q: %v", name, err)
		}
	}
}

// TestChangesAreRecordedBeforeTheyHappen looks into the log from inside a change.
func TestChangesAreRecordedBeforeTheyHappen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	o := quick
	o.Audit = openAudit(t, security.AuditOptions{Path: name})
	dir := layout(t, map[string]string{"file": "old", "link": "-> file"})
	r := open(t, o, dir)
	content := readerFunc(func([]byte) (int, error) {
		got := records(t, name)
		if len(got) != 1 || got[0]["result"] != "started" || got[0]["params"] != `{"path":"file"}` {
			t.Errorf("while the change is made the log holds %v", got)
		}
		return 0, errors.New("no content")
	})
	if _, err := r.WriteFrom(t.Context(), "link", content, security.WriteOptions{Overwrite: true}); err == nil {
		t.Error("a write without content succeeded")
	}
	r.Write(t.Context(), ".env", nil, security.WriteOptions{})
	r.Write(t.Context(), "new", nil, security.WriteOptions{})
	r.Update(t.Context(), "new", security.UpdateOptions{}, func([]byte, security.FileInfo) ([]byte, error) { return nil, nil })
	var outcome []string
	for _, record := range records(t, name) {
		outcome = append(outcome, fmt.Sprint(record["operation"], " ", record["result"], " ", record["errorCode"]))
	}
	want := []string{
		"fs.write started <nil>", "fs.write error INTERNAL_ERROR",
		"fs.write error PERMISSION_DENIED", // refused: nothing was started
		"fs.write started <nil>", "fs.write ok <nil>",
		// An update that changes nothing is no change.
	}
	if strings.Join(outcome, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log holds %q, want %q", outcome, want)
	}
}

func TestWithoutAuditNothingIsChanged(t *testing.T) {
	o := quick
	a := openAudit(t, security.AuditOptions{Path: filepath.Join(t.TempDir(), "audit.log")})
	o.Audit = a
	dir := layout(t, map[string]string{"file": "old"})
	r := open(t, o, dir)
	a.Close()
	_, err := r.Write(t.Context(), "a/b/new", []byte("x"), security.WriteOptions{CreateDirs: true})
	if e := asError(t, err); e.Code != security.AuditFailed {
		t.Errorf("write without audit: %v", err)
	}
	_, err = r.Write(t.Context(), "file", []byte("x"), security.WriteOptions{Overwrite: true, Backup: true})
	if e := asError(t, err); e.Code != security.AuditFailed {
		t.Errorf("write without audit: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 || onDisk(t, dir, "file") != "old" {
		t.Errorf("something was changed: %v", entries)
	}
	if read(t, r, "file") != "old" {
		t.Error("reading needs no audit")
	}
}

// TestAuditLogIsHidden keeps the log, when it lies in the project, from the tools that it watches.
func TestAuditLogIsHidden(t *testing.T) {
	dir := layout(t, map[string]string{"logs/[odd]/": ""})
	o := quick
	o.Audit = openAudit(t, security.AuditOptions{Path: filepath.Join(dir, "logs", "[odd]", "audit.log")})
	r := open(t, o, dir)
	for _, name := range []string{"logs/[odd]/audit.log", "logs/[odd]/audit.log.1", "LOGS/[ODD]/AUDIT.LOG"} {
		if _, err := r.Write(t.Context(), name, nil, security.WriteOptions{Overwrite: true}); asError(t, err).Reason != security.BlockedPattern {
			t.Errorf("write %q: %v", name, err)
		}
	}
	if _, err := r.Write(t.Context(), "logs/o/audit.log", nil, security.WriteOptions{CreateDirs: true}); err != nil {
		t.Errorf("another log: %v", err)
	}
}

func TestIdentity(t *testing.T) {
	if id := security.IdentityFrom(context.Background()); id.UserID != "unknown" || id.SessionID != "unknown" {
		t.Errorf("nobody is %+v", id)
	}
	ctx := security.WithIdentity(t.Context(), security.Identity{UserID: "ada"})
	if id := security.IdentityFrom(ctx); id.UserID != "ada" || id.SessionID != "unknown" {
		t.Errorf("ada is %+v", id)
	}
}
