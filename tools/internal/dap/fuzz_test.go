package dap_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/dap"
	"github.com/dougu-go/dougu/tools/internal/lsp/frame"
)

// Whatever comes is read to its end, which is an error.
func FuzzRead(f *testing.F) {
	for _, body := range []string{
		`{"seq":1,"type":"response","request_seq":1,"success":true,"body":{}}`, `{"seq":1,"type":"response","request_seq":1,"body":{"error":{"format":"{a}","variables":{"a":"{a}"}}}}`,
		`{"seq":1,"type":"event","event":"stopped","body":{"reason":1}}`, `{"seq":-1,"type":"request","command":"runInTerminal"}`, `[]`, `{"type":{}}`, `null`,
	} {
		f.Add(string(frame.Of([]byte(body))))
	}
	f.Fuzz(func(t *testing.T, text string) {
		events := 0
		_, err := dap.Hear(strings.NewReader(text), 1000, func(string, json.RawMessage) { events++ })
		if err == nil || events > len(text) {
			t.Fatalf("%d events, %v", events, err)
		}
	})
}
