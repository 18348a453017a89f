package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestOptions_CommandLine(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	o, err := options(t.Context(), "..", "1.2.3-rc.1")
	if err != nil || o.Version != "1.2.3-rc.1" || !o.Time.Equal(time.Unix(1_700_000_000, 0)) || o.Log != os.Stderr {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := options(t.Context(), t.TempDir(), ""); err != nil || o.Version != "0.0.0-dev" {
		t.Errorf("%+v, %v", o, err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := options(t.Context(), "..", ""); err == nil {
		t.Error("yesterday is a time")
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	if _, err := options(t.Context(), t.TempDir(), "1.2.3"); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("without a commit: %v", err)
	}
	for _, version := range []string{"v1.2.3", "1.2", "latest", "1.2.3 "} {
		if _, err := options(t.Context(), "..", version); err == nil {
			t.Errorf("%q is a version", version)
		}
	}
}

func TestRun_InvalidCommandLine(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1")
	for args, want := range map[string]string{
		"-targets plan9/386": "plan9/386", "-programs hello": "hello", "-verify x/y": "x/y", "-version x": `"x"`, "-out .": "not empty",
	} {
		if err := run(t.Context(), strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
