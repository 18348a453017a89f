package security_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/internal/audittest"
)

// TestAudit_RecordsChangesBeforeTheyHappen looks into the log from inside a change.
func TestAudit_RecordsChangesBeforeTheyHappen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.log")
	o := quick
	o.Audit = audittest.Open(t, audit.Options{Path: name})
	dir := layout(t, map[string]string{"file": "old", "link": "-> file"})
	r := open(t, o, dir)
	content := readerFunc(func([]byte) (int, error) {
		got := audittest.Records(t, name)
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
	for _, record := range audittest.Records(t, name) {
		outcome = append(outcome, fmt.Sprint(record["operation"], " ", record["result"], " ", record["errorCode"]))
	}
	want := []string{
		"fs.write started <nil>", "fs.write error INTERNAL_ERROR",
		"fs.write blocked PERMISSION_DENIED", // refused: nothing was started
		"fs.write started <nil>", "fs.write success <nil>",
		// An update that changes nothing is no change.
	}
	if strings.Join(outcome, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log holds %q, want %q", outcome, want)
	}
}

func TestAudit_FailedRefusesChanges(t *testing.T) {
	o := quick
	a := audittest.Open(t, audit.Options{Path: filepath.Join(t.TempDir(), "audit.log")})
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

// TestAudit_LogIsHidden hides a log that lies in the project from the tools.
func TestAudit_LogIsHidden(t *testing.T) {
	dir := layout(t, map[string]string{"logs/[odd]/": ""})
	o := quick
	o.Audit = audittest.Open(t, audit.Options{Path: filepath.Join(dir, "logs", "[odd]", "audit.log")})
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
