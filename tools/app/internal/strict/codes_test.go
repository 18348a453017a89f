package strict_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app/internal/strict"
)

func TestErrorCodes(t *testing.T) {
	codes := strict.ErrorCodes(func(code string) string {
		if code == "FILE_NOT_FOUND" {
			return code
		}
		return "INTERNAL_ERROR"
	})
	for _, test := range []struct {
		err     error
		code    string
		details map[string]any
	}{
		{&security.Error{Code: "FILE_NOT_FOUND", AttemptedPath: "a", Next: "Look."}, "FILE_NOT_FOUND", map[string]any{"code": "FILE_NOT_FOUND", "file": "a", "suggestion": "Look."}},
		{&mcp.ToolError{Code: "FORMATTER_FAILED", Message: "broken"}, "INTERNAL_ERROR", map[string]any{"code": "FORMATTER_FAILED"}},
		{errors.New("no code"), "INTERNAL_ERROR", map[string]any{"code": "INTERNAL_ERROR"}},
	} {
		tool := mcp.NewTool(mcp.Tool{Name: "fail"}, func(context.Context, struct{}) (string, error) { return "", test.err }).Wrap(codes)
		result, err := tool.Call(t.Context(), json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		parts, _ := result.Meta[protocol.ErrorMeta].(map[string]any)
		text, _ := result.Blocks()[0].(mcp.TextContent)
		if result.ErrorCode() != test.code || !reflect.DeepEqual(parts["details"], test.details) || !strings.HasPrefix(text.Text, test.code+": ") {
			t.Errorf("%v: %v, %q", test.err, parts, text.Text)
		}
	}
	tool := mcp.NewTool(mcp.Tool{Name: "fail"}, func(context.Context, struct{}) (string, error) {
		return "", protocol.Errorf(protocol.CodeInternal, "broken")
	}).Wrap(codes)
	if _, err := tool.Call(t.Context(), json.RawMessage(`{}`)); err == nil {
		t.Error("a protocol error has become a result")
	}
}
