package repository_test

import (
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// exemplified lists the packages whose functions of weight need an Example: every exported function that takes a context, a server
// or a test, beside the methods and types in exemplifiedNames.
var exemplified = []string{
	"mcp", "mcp/mcptest", "mcp/protocol", "mcp/tasks", "transport", "transport/httpserver", "transport/httpclient", "transport/websocket",
	"tools", "tools/modelapi", "security", "security/audit", "security/auth",
}

// exemplifiedNames are further names that need an Example: methods and types with which a reader begins.
var exemplifiedNames = map[string][]string{
	"mcp": {
		"Server_Use", "Server_UseTools", "Server_Replace", "Server_Remove", "Server_ResourceUpdated", "ServerTool_Call", "ServerTool_Wrap", "ServerTool_With",
		"NewTool", "NewRawTool", "NewGate", "NewLogHandler", "ServerOptions", "ClientOptions", "TypedResult", "Client_CallTool", "Client_Tools", "Client_ReadResource",
		"Client_GetPrompt", "Client_Subscribe", "Session_AddTools",
	},
	"transport":           {"Command", "HTTP", "InMemory", "InProcess", "Listen", "Reconnecting"},
	"tools":               {"NewBox", "Profile", "Record"},
	"mcp/tasks":           {""},
	"security":            {""},
	"mcp/schema":          {"InputFor", "Compile"},
	"security/spent":      {"Open"},
	"security/sandbox":    {"New"},
	"tools/config":        {"Table_Load"},
	"transport/localuser": {"Listen"},
}

// otherExamples maps functions without an Example of their own to the Example of the package whose code calls them, or to the reason
// why there is none, in parentheses.
var otherExamples = map[string]string{
	"mcp.InTask":                      "BecomeTask",
	"mcp.NewTool":                     "Server_Replace",
	"mcp/protocol.PermissionsFrom":    "WithPermissions",
	"mcp.SessionFrom":                 "Session_AddTools",
	"mcp.TraceFrom":                   "WithTrace",
	"mcp/protocol.WithPrincipal":      "PrincipalFrom",
	"mcp/tasks.Call":                  "",
	"mcp/tasks.Start":                 "",
	"security.ExpireRemoved":          "(it is for the programs of this module, which delete what missing projects leave behind)",
	"security.MeasureRemoved":         "(it is for doctor)",
	"security.OnDisk":                 "Root_Attach",
	"transport/httpserver.NewHandler": "",
	"security/audit.WithIdentity":     "Log",
	"security/audit.IdentityFrom":     "(it is for tool sets that write records)",
	"security/auth.SubjectFrom":       "(it is for tools that exchange the token; package security/oauth does that)",
	"security/audit.WithCall":         "(it is for middleware that records calls; tools.Record is that)",
	"security/auth.Authorize":         "Resource",
	"security/auth.StepUp":            "(it is for functions that replace Authorize; package security/access has one)",
	"security/auth.Obtainable":        "(it is for functions that replace Authorize; package security/access has one)",
	"security/auth.KeepsListed":       "(it is for functions that replace Authorize; package security/access has one)",
}

// Every function with which a reader works has an Example, so that its documentation shows a call that runs.
func TestExportedAPI_Examples(t *testing.T) {
	files, _ := allSources(t)
	needed := make(map[string]bool)              // PACKAGE.NAME
	examples := make(map[string][]*ast.FuncDecl) // by PACKAGE.NAME, where NAME is that of the Example without its suffix
	for pkg, names := range exemplifiedNames {
		for _, name := range names {
			needed[pkg+"."+name] = true
		}
	}
	for _, s := range files {
		pkg, isTest := path.Dir(s.name), strings.HasSuffix(s.name, "_test.go")
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok || f.Recv != nil:
			case isTest:
				if name, ok := strings.CutPrefix(f.Name.Name, "Example"); ok {
					examples[pkg+"."+exampleSubject(name)] = append(examples[pkg+"."+exampleSubject(name)], f)
				}
			case slices.Contains(exemplified, pkg) && f.Name.IsExported() && isWeighty(f.Type):
				needed[pkg+"."+f.Name.Name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		pkg, function, _ := strings.Cut(name, ".")
		other, listed := otherExamples[name]
		switch {
		case len(examples[name]) > 0:
		case !listed:
			t.Errorf("%s has no Example, and is not listed with another one", name)
		case !strings.HasPrefix(other, "(") && !slices.ContainsFunc(examples[pkg+"."+other], func(f *ast.FuncDecl) bool { return calls(f, function) }):
			t.Errorf("%s is listed with Example%s, which does not call it", name, other)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(otherExamples)) {
		if !needed[name] || len(examples[name]) > 0 {
			t.Errorf("%s is listed, and needs no other Example", name)
		}
	}
	if len(needed) < 60 {
		t.Errorf("%d names were checked", len(needed))
	}
}

// exampleSubject returns the name that an Example is about: its name without a suffix, which begins with a small letter.
func exampleSubject(name string) string {
	parts := strings.Split(name, "_")
	if last := parts[len(parts)-1]; len(parts) > 1 && last != "" && strings.ToLower(last[:1]) == last[:1] {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, "_")
}

// isWeighty reports whether a function takes a context, a server or a test.
func isWeighty(f *ast.FuncType) bool {
	return slices.ContainsFunc(f.Params.List, func(param *ast.Field) bool {
		expr := param.Type
		if star, ok := expr.(*ast.StarExpr); ok {
			expr = star.X
		}
		name := ""
		switch e := expr.(type) {
		case *ast.Ident:
			name = e.Name
		case *ast.SelectorExpr:
			name = e.Sel.Name
		}
		return slices.Contains([]string{"Context", "Server", "Dispatcher", "TB", "T"}, name)
	})
}

// calls reports whether a function mentions a name of another package.
func calls(f *ast.FuncDecl, name string) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		found = found || ok && selector.Sel.Name == name
		return true
	})
	return found
}
