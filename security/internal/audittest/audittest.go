// Package audittest opens and reads audit logs in tests.
package audittest

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/dougu-go/dougu/security/audit"
)

// Open opens an audit log, and closes it at the end of the test.
func Open(t testing.TB, o audit.Options) *audit.Log {
	t.Helper()
	log, err := audit.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Errorf("closing the audit log: %v", err)
		}
	})
	return log
}

// maxRecord is the size of the longest record that Records reads, in bytes.
const maxRecord = 1 << 20

// Records reads the file of an audit log as any other program would: a JSON object a line.
func Records(t testing.TB, name string) []map[string]any {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []map[string]any
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxRecord)
	for lines.Scan() {
		var record map[string]any
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatalf("%s: %q: %v", name, lines.Text(), err)
		}
		all = append(all, record)
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return all
}
