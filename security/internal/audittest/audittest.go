// Package audittest opens and reads audit logs in tests.
package audittest

import (
	"bytes"
	"encoding/json"
	"errors"
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

// Records reads the file of an audit log as any other program would: a JSON object a line.
func Records(t testing.TB, name string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(name)
	var all []map[string]any
	for line := range bytes.Lines(data) {
		var record map[string]any
		err = errors.Join(err, json.Unmarshal(line, &record))
		all = append(all, record)
	}
	if err != nil {
		t.Fatalf("reading the audit log %s: %v\n%s", name, err, data)
	}
	return all
}
