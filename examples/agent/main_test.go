package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// standIn is an API of a model that answers with the given bodies, one after another, and records the requests.
func standIn(t *testing.T, answers ...string) (url string, requests *[]string) {
	t.Helper()
	requests = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*requests = append(*requests, r.URL.Path+" "+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")+" "+string(body))
		answer := answers[min(len(*requests), len(answers))-1]
		if !json.Valid([]byte(answer)) {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", requests
}

// openAICall and anthropicCall are answers that ask for a call of read_file.
const (
	openAICall    = `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"README.md\"}"}}]}}]}`
	anthropicCall = `{"content":[{"type":"text","text":"Looking."},{"type":"tool_use","id":"c1","name":"read_file","input":{"path":"README.md"}}]}`
)

func TestRun(t *testing.T) {
	for _, tc := range []struct {
		name    string
		api     string
		flags   []string
		answers []string
		output  []string // parts of the output, or of the error
		sent    []string // parts of the last request
		missing string   // part that the last request lacks
	}{
		{"OpenAI", "openai", nil, []string{openAICall, `{"choices":[{"message":{"role":"assistant","content":"It has locks."}}]}`},
			[]string{`[read_file {"path":"README.md"}]`, "It has locks."},
			[]string{"/v1/chat/completions Bearer secret", `"role":"tool"`, `"tool_call_id":"c1"`, "# Kagi", `"function":{"name":"read_file"`}, `"write_file"`},
		{"Anthropic", "anthropic", nil, []string{anthropicCall, `{"content":[{"type":"text","text":"It has locks."}]}`},
			[]string{`[read_file {"path":"README.md"}]`, "It has locks."},
			[]string{"/v1/messages secret", `"tool_use_id":"c1"`, `"is_error":false`, "# Kagi", `"input_schema"`}, `"write_file"`},
		{"writing is offered on request", "openai", []string{"-write"}, []string{`{"choices":[{"message":{"content":"Done."}}]}`}, []string{"Done."}, []string{`"write_file"`}, ""},
		{"unknown tool and broken arguments", "openai", nil,
			[]string{`{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"destroy","arguments":"{}"}},{"id":"b","function":{"name":"read_file","arguments":"{\"path"}}]}}]}`, `{"choices":[{"message":{"content":"Sorry."}}]}`},
			[]string{"Sorry."}, []string{"Unknown tool", `"tool_call_id":"b"`}, ""},
		{"model that never ends", "openai", nil, []string{openAICall}, []string{"not come to an answer in 50 turns"}, nil, ""},
		{"too many calls", "anthropic", nil, []string{`{"content":[` + strings.Repeat(`{"type":"tool_use","id":"c","name":"read_file","input":{}},`, 100) + `{"type":"tool_use","id":"c","name":"read_file","input":{}}]}`},
			[]string{"asks for 101 calls at once"}, nil, "tool_result"},
		{"refusal of the API", "openai", nil, []string{"slow down"}, []string{"429 Too Many Requests: slow down"}, nil, ""},
		{"answer without a message", "openai", nil, []string{`{"choices":[]}`}, []string{"has sent no answer"}, nil, ""},
		{"unknown API", "other", nil, []string{`{}`}, []string{`unknown API "other"`}, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("# Kagi\n\nLocks.\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			url, requests := standIn(t, tc.answers...)
			var out strings.Builder
			args := append([]string{"-api", tc.api, "-url", url, "-model", "m", "-dir", dir}, append(tc.flags, "What is it?")...)
			if err := run(t.Context(), args, func(string) string { return "secret" }, &out); err != nil {
				out.WriteString(err.Error())
			}
			for _, part := range tc.output {
				if !strings.Contains(out.String(), part) {
					t.Errorf("the output lacks %q: %s", part, out.String())
				}
			}
			last := strings.Join(*requests, "\n")[max(0, strings.LastIndex(strings.Join(*requests, "\n"), "\n/")):]
			for _, part := range tc.sent {
				if !strings.Contains(last, part) {
					t.Errorf("the last request lacks %q: %s", part, last)
				}
			}
			if tc.missing != "" && strings.Contains(last, tc.missing) {
				t.Errorf("the last request has %q", tc.missing)
			}
		})
	}
}

func TestRun_Usage(t *testing.T) {
	if err := run(t.Context(), []string{"-model", "m"}, os.Getenv, io.Discard); err == nil || !strings.Contains(err.Error(), "a task") {
		t.Errorf("without a task: %v", err)
	}
	if err := run(t.Context(), []string{"-help"}, os.Getenv, io.Discard); err != nil {
		t.Errorf("-help: %v", err)
	}
}

func TestRun_RedirectIsNotFollowed(t *testing.T) {
	other, requests := standIn(t, `{"content":[{"type":"text","text":"Thanks."}]}`)
	server := httptest.NewServer(http.RedirectHandler(other+"/messages", http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	args := []string{"-api", "anthropic", "-url", server.URL, "-model", "m", "-dir", t.TempDir(), "Hello"}
	err := run(t.Context(), args, func(string) string { return "secret" }, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "307 Temporary Redirect") || len(*requests) != 0 {
		t.Errorf("%v; the other server got %q", err, *requests)
	}
}
