package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// TestEverythingExample lets the TypeScript SDK use all features of the reference server with every feature and of the example
// everything, which is this server written with this library. The answers must be the same, but for the differences that
// sameEverything removes.
func TestEverythingExample(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	script := filepath.Join("node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	want := everythingAnswers(t, node, node, script)
	example := build(t, examples+"/everything")
	got := everythingAnswers(t, node, example)
	for check, answer := range want {
		t.Run(check, func(t *testing.T) {
			if diff := cmp.Diff(sameEverything(answer), sameEverything(got[check])); diff != "" {
				t.Errorf("the answers differ (-reference +example):\n%s", diff)
			}
		})
	}
	if len(got) != len(want) || len(want) < 60 {
		t.Errorf("%d answers, and %d of the reference server", len(got), len(want))
	}
	for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20251125} {
		t.Run("own client "+string(rev), func(t *testing.T) {
			newVisitor(t, transport.Command{Path: example}, rev).lookAround(t)
		})
	}
}

// everythingAnswers returns the answers of a server by check.
func everythingAnswers(t *testing.T, node string, command ...string) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), scriptTime)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, node, append([]string{"everything.mjs", "--"}, command...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "node", &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, tail(stderr.String()))
	}
	answers := map[string]any{}
	for check, f := range readFindings(t, stdout.Bytes()) {
		if !f.OK {
			t.Errorf("%s: %s: %s", command[0], check, f.Detail)
			continue
		}
		var answer any
		if err := json.Unmarshal([]byte(f.Detail), &answer); err != nil {
			t.Errorf("%s: %s: %v", command[0], check, err)
		}
		answers[check] = answer
	}
	return answers
}

// sameEverything removes from an answer what may differ.
func sameEverything(v any) any {
	switch v := v.(type) {
	case map[string]any:
		same := map[string]any{}
		for key, value := range v {
			if !differs(key, value) {
				same[key] = sameEverything(value)
			}
		}
		if data, ok := same["blob"].(string); ok {
			if text, err := base64.StdEncoding.DecodeString(data); err == nil {
				same["blob"] = sameText(string(text))
			}
		}
		if same["mimeType"] == "image/png" {
			delete(same, "data") // another picture
		}
		return same
	case []any:
		same := []any{}
		for _, value := range v {
			if file, ok := value.(map[string]any); ok && isForeignDocument(file) {
				continue
			}
			same = append(same, sameEverything(value))
		}
		return same
	case string:
		return sameText(v)
	}
	return v
}

// differs reports whether a member of an object may differ.
func differs(key string, value any) bool {
	switch key {
	case "description", "elicitationId", "$schema":
		return true // texts for models and people; numbers that are made up; the dialect
	case "additionalProperties", "minimum", "maximum":
		return true // the example refuses unknown arguments and limits more numbers
	case "execution":
		return !strings.Contains(jsonText(value), "required") // "forbidden" is the default
	case "mode":
		return value == "form" // the default
	case "hasMore", "required":
		return value == false // the default
	case "total":
		return value == 0.0
	}
	return false
}

var (
	timeOfDay     = regexp.MustCompile(`\d{1,2}:\d\d:\d\d [AP]M`)
	elicitationID = regexp.MustCompile(`Elicitation ID: \S*`)
)

// sameText removes times and made-up numbers. Numbers that count are integers in the example.
func sameText(s string) string {
	if s == "integer" {
		return "number"
	}
	return elicitationID.ReplaceAllString(timeOfDay.ReplaceAllString(s, "TIME"), "Elicitation ID")
}

// isForeignDocument reports whether a listed resource is a document that the example does not have.
func isForeignDocument(resource map[string]any) bool {
	uri, _ := resource["uri"].(string)
	name, found := strings.CutPrefix(uri, "demo://resource/static/document/")
	return found && name != "features.md" && name != "instructions.md"
}

func jsonText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
