package security_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/security"
)

func TestCodes_AllExplained(t *testing.T) {
	seen := map[security.Code]bool{}
	for _, info := range security.Codes() {
		if info.Code == "" || !strings.HasSuffix(info.Meaning, ".") || !strings.HasSuffix(info.Next, ".") || seen[info.Code] {
			t.Errorf("%+v", info)
		}
		seen[info.Code] = true
		if e := (&security.Error{Code: info.Code}); e.Error() != info.Meaning || e.NextStep() != info.Next || e.ErrorCode() != string(info.Code) {
			t.Errorf("a bare %s says %q and %q", info.Code, e, e.NextStep())
		}
	}
	for _, code := range []security.Code{
		"INVALID_PARAMS", "FILE_NOT_FOUND", "PERMISSION_DENIED", "COMMAND_BLOCKED", "TIMEOUT", "INTERNAL_ERROR", "NOT_A_REGULAR_FILE",
		"STALE_FILE", "ALREADY_EXISTS", "NOT_A_DIRECTORY", "IS_A_DIRECTORY", "FILE_TOO_LARGE", "READ_ONLY",
	} {
		if !seen[code] {
			t.Errorf("%s is not explained", code)
		}
	}
	security.Codes()[0].Meaning = "changed"
	if security.Codes()[0].Meaning == "changed" {
		t.Error("the table can be changed from outside")
	}
}

func TestError_Details(t *testing.T) {
	r := open(t, quick, layout(t, map[string]string{".env": "x"}))
	_, err := r.Open(t.Context(), ".env")
	e := asError(t, err)
	if diff := testdiff.Diff(map[string]any{"reason": "BLOCKED_PATTERN", "attemptedPath": ".env"}, e.ErrorDetails()); diff != "" {
		t.Error(diff)
	}
	if !errors.Is(err, fs.ErrPermission) {
		t.Error("a refusal is no fs.ErrPermission")
	}
	if details := (&security.Error{Code: security.Timeout}).ErrorDetails(); len(details) != 0 {
		t.Errorf("details of nothing: %v", details)
	}
	_, err = r.Open(t.Context(), strings.Repeat("é", 400)+"\xff")
	if e := asError(t, err); len(e.AttemptedPath) > 310 || !strings.HasSuffix(e.AttemptedPath, "é…") {
		t.Errorf("the attempted path is repeated as %q", e.AttemptedPath)
	}
}

func TestCodeOf(t *testing.T) {
	for want, err := range map[security.Code]error{
		"":                     nil,
		security.Timeout:       fmt.Errorf("waiting: %w", context.DeadlineExceeded),
		security.Cancelled:     context.Canceled,
		security.StaleFile:     fmt.Errorf("editing: %w", &security.Error{Code: security.StaleFile}),
		security.InternalError: errors.New("something else"),
	} {
		if got := security.CodeOf(err); got != want {
			t.Errorf("CodeOf(%v) = %q, want %q", err, got, want)
		}
	}
}
