package vscode_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/vscode"
)

func TestFrames_Limits(t *testing.T) {
	for data, want := range map[string]string{
		"Content-Length: 4\r\n\r\ntrue":                   "",
		"content-length:4\r\nContent-Type: x\r\n\r\ntrue": "",
		"Content-Length: 4\n\ntrue":                       "",
		"Content-Length: 0\r\n\r\n":                       "a message of 0 bytes",
		"Content-Length: 25165825\r\n\r\ntrue":            "the limit is 25165824",
		"Content-Length: 9\r\n\r\ntrue":                   "EOF",
		"Content-Length: 4\r\n\r\nture":                   "invalid character",
	} {
		var v bool
		err := vscode.ReadFrame([]byte(data), &v)
		if want == "" && (err != nil || !v) || want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%.40q: %v, %v; want %q", data, v, err, want)
		}
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 99999999\r\n\r\n{}"))
	f.Add([]byte("a: b\r\nContent-Length: 1\r\n\r\n5"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v json.RawMessage
		if err := vscode.ReadFrame(data, &v); err == nil && !json.Valid(v) {
			t.Errorf("%q was taken for %q", data, v)
		}
	})
}
