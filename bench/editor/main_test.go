package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// Every operation succeeds.
func TestOperations_Succeed(t *testing.T) {
	if _, err := exec.LookPath("gopls"); err != nil {
		t.Skip("needs gopls")
	}
	var out, errs bytes.Buffer
	if err := run(t.Context(), []string{"-calls", "2", "-files", "40"}, &out, &errs); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	if got := strings.Count(out.String(), "\n"); got != 2+len(operations()) {
		t.Errorf("the table is\n%s", &out)
	}
}
