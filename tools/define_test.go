package tools_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

func TestDefine_CommonOptionsAndAllFaults(t *testing.T) {
	none := func(context.Context, mcp.None) (mcp.None, error) { return mcp.None{}, nil }
	own := mcp.NewTool(mcp.Tool{Name: "own"}, none).With(mcp.ToolOptions{Permissions: []string{mcp.PermissionRun}})
	limits := tools.Limits{MaxAnswer: 1000}
	defined, err := tools.Define(mcp.ToolOptions{Timeout: time.Minute, MaxResult: limits.MaxResult()}, own)
	if err != nil {
		t.Fatal(err)
	}
	if o := defined[0].Options(); o.Timeout != time.Minute || o.MaxResult != 8000 || len(o.Permissions) != 1 {
		t.Errorf("%+v", o)
	}
	_, err = tools.Define(mcp.ToolOptions{}, mcp.NewTool(mcp.Tool{Name: "first one"}, none), mcp.NewTool(mcp.Tool{Name: "second one"}, none))
	if err == nil || !strings.Contains(err.Error(), "first one") || !strings.Contains(err.Error(), "second one") {
		t.Errorf("%v", err)
	}
}
