package access_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/access"
)

// Permissions for a tool that needs issues:write. A refused call names the missing permission, and
// lists omit the tool.
func TestAuthorize_Permissions(t *testing.T) {
	ann := client{name: "c", principal: "ann"}
	token := func(c client, permissions ...string) client {
		c.token = append([]string{}, permissions...)
		return c
	}
	list := func(permissions ...string) []string { return append([]string{}, permissions...) }
	for name, tc := range map[string]struct {
		options access.Options
		client  client
		want    bool
	}{
		"by default nobody in particular":   {access.Options{}, client{}, true},
		"by default somebody":               {access.Options{}, ann, true},
		"nobody, who has nothing":           {access.Options{Default: list()}, client{}, false},
		"nobody, who has something else":    {access.Options{Default: list("docs:read")}, client{}, false},
		"nobody, who has it":                {access.Options{Default: list("docs:read", "issues:write")}, client{}, true},
		"somebody, where nobody may":        {access.Options{Default: list()}, ann, true},
		"who is named":                      {access.Options{Grants: map[string][]string{"ann": {"issues:*"}}}, ann, true},
		"who is named for something else":   {access.Options{Grants: map[string][]string{"ann": {"docs:read"}, "*": {"*"}}}, ann, false},
		"who is not named":                  {access.Options{Grants: map[string][]string{"bob": {"*"}}}, ann, false},
		"who is one of the others":          {access.Options{Grants: map[string][]string{"bob": nil, "*": {"issues:write"}}}, ann, true},
		"nobody where principals are named": {access.Options{Grants: map[string][]string{"*": nil}}, client{}, true},
		"a token that is good for it":       {access.Options{}, token(ann, "issues:write"), true},
		"a token for something else":        {access.Options{}, token(ann, "docs:read"), false},
		"a token for nothing":               {access.Options{}, token(ann), false},
		"a good token of who may not":       {access.Options{Grants: map[string][]string{"ann": {"docs:read"}}}, token(ann, "issues:write"), false},
		"a good token of who may":           {access.Options{Grants: map[string][]string{"ann": {"*"}}}, token(ann, "issues:write"), true},
		"another token of who may":          {access.Options{Grants: map[string][]string{"ann": {"*"}}}, token(ann, "docs:read"), false},
		"a good token of who is not named":  {access.Options{Grants: map[string][]string{"bob": nil}}, token(ann, "issues:write"), true},
		"a good token of nobody":            {access.Options{Default: list()}, token(client{}, "issues:write"), true},
		"another token of nobody":           {access.Options{}, token(client{}, "docs:read"), false},
	} {
		control, srv := guarded(t, tc.options)
		for _, tool := range []string{"createIssue", "create_issue"} {
			code, why := tc.client.call(t, srv, tool)
			if (code == "") != tc.want || !tc.want && (code != "PERMISSION_REQUIRED" || !slices.Equal(why.Permissions, []string{"issues:write"}) || !strings.HasPrefix(why.Message, tool+" needs the permission issues:write")) {
				t.Errorf("%s: %+v", name, why)
			}
		}
		if code, _ := tc.client.call(t, srv, "search"); code != "" {
			t.Errorf("%s: a tool that needs nothing: %s", name, code)
		}
		ctx, req := tc.client.request(t, "tools/list", `{}`)
		result, err := srv.Dispatch(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		if listed := len(result.(*mcp.ListResult[mcp.Tool]).Items) == 2; listed != tc.want {
			t.Errorf("%s: listed is %v", name, listed)
		}
		if got := control.Stats().Refused["PERMISSION_REQUIRED"]; got != map[bool]int64{false: 2}[tc.want] {
			t.Errorf("%s: %d refusals were counted", name, got)
		}
	}
}

// A tool can need several permissions; the error names the missing ones.
func TestAuthorize_SeveralPermissions(t *testing.T) {
	control := access.New(access.Options{Default: []string{"a"}, Log: quiet})
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Authorize: control.Authorize}) // without the middleware
	if err := srv.Replace("o", mcp.Features{Tools: []mcp.ServerTool{tool("t", "a", "b", "c")}}); err != nil {
		t.Fatal(err)
	}
	_, why := client{name: "cursor"}.call(t, srv, "t")
	if !slices.Equal(why.Permissions, []string{"b", "c"}) || !strings.Contains(why.Message, "b and c") || why.NextStep == "" {
		t.Errorf("%+v", why)
	}
	if stats := control.Stats(); stats.Active != 0 || stats.Refused["PERMISSION_REQUIRED"] != 1 {
		t.Errorf("%+v", stats)
	}
}
