package schema_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/schema"
)

// The arguments and results of tools as tool sets have them.
type (
	readArgs struct {
		Path      string `json:"path" jsonschema:"minLength=1,description=The file, relative to the root"`
		Encoding  string `json:"encoding,omitempty" jsonschema:"default=auto,description=utf-8\\, shift-jis\\, euc-jp or auto"`
		Offset    int64  `json:"offset,omitempty" jsonschema:"minimum=0,description=First byte"`
		Length    int64  `json:"length,omitempty" jsonschema:"minimum=1,maximum=10000000"`
		StartLine int    `json:"startLine,omitempty" jsonschema:"description=From 1; -20: last 20 lines"`
		EndLine   int    `json:"endLine,omitempty"`
	}
	readAnswer struct {
		Path      string    `json:"path"`
		Content   string    `json:"content"`
		Encoding  string    `json:"encoding"`
		Size      int64     `json:"size"`
		Lines     int       `json:"lines"`
		Modified  time.Time `json:"modified"`
		Truncated bool      `json:"truncated"`
		Next      *int64    `json:"next,omitempty"`
	}
	writeArgs struct {
		Path     string `json:"path" jsonschema:"minLength=1"`
		Content  string `json:"content"`
		Mode     string `json:"mode,omitempty" jsonschema:"enum=overwrite,enum=append,default=overwrite"`
		EOL      string `json:"eol,omitempty" jsonschema:"enum=keep,enum=lf,enum=crlf"`
		Backup   *bool  `json:"backup,omitempty" jsonschema:"default=false"`
		Expected string `json:"expectedSha256,omitempty" jsonschema:"description=From read_file; refuses if the file changed since"`
	}
	writeAnswer struct {
		Path    string `json:"path"`
		Written int64  `json:"written"`
		SHA256  string `json:"sha256"`
		Backup  string `json:"backup,omitempty"`
	}
	listArgs struct {
		Path      string `json:"path,omitempty" jsonschema:"default=."`
		Recursive bool   `json:"recursive,omitempty" jsonschema:"default=false"`
		Hidden    bool   `json:"includeHidden,omitempty" jsonschema:"default=false"`
		Pattern   string `json:"pattern,omitempty" jsonschema:"description=Glob for names (*.go) or paths (src/**/*.go)"`
		Max       int    `json:"maxEntries,omitempty" jsonschema:"minimum=1,default=500"`
		Cursor    string `json:"cursor,omitempty" jsonschema:"description=nextCursor of the last answer"`
	}
	listAnswer struct {
		Entries []struct {
			Name     string    `json:"name"`
			Type     string    `json:"type"`
			Size     int64     `json:"size"`
			Modified time.Time `json:"modified"`
		} `json:"entries"`
		Next string `json:"nextCursor,omitempty"`
	}
	findArgs struct {
		Query    string   `json:"query" jsonschema:"minLength=1,description=What to look for"`
		Language string   `json:"language,omitempty" jsonschema:"enum=go,enum=ts,enum=py,enum=any,default=any"`
		Paths    []string `json:"paths,omitempty" jsonschema:"maxItems=100,minLength=1"`
		Case     bool     `json:"caseSensitive,omitempty"`
		Limit    int      `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000,default=50"`
		Context  int      `json:"context,omitempty" jsonschema:"minimum=0,maximum=20"`
	}
	findAnswer struct {
		Hits []struct {
			Path   string   `json:"path"`
			Line   int      `json:"line"`
			Column int      `json:"column"`
			Text   string   `json:"text"`
			Before []string `json:"before,omitempty"`
			After  []string `json:"after,omitempty"`
			Score  float64  `json:"score"`
			Symbol *string  `json:"symbol"`
		} `json:"hits"`
		Total int `json:"total"`
	}
	runArgs struct {
		Command string            `json:"command" jsonschema:"minLength=1"`
		Dir     string            `json:"directory,omitempty" jsonschema:"default=."`
		Env     map[string]string `json:"env,omitempty"`
		Timeout time.Duration     `json:"timeout,omitempty" jsonschema:"default=30s,description=Such as 1m30s"`
		Shell   string            `json:"shell,omitempty" jsonschema:"pattern=^[a-z]+$"`
	}
	runAnswer struct {
		ExitCode int           `json:"exitCode"`
		Stdout   string        `json:"stdout"`
		Stderr   string        `json:"stderr"`
		Took     time.Duration `json:"took"`
		Ended    bool          `json:"ended"`
	}
	editArgs struct {
		Path  string `json:"path" jsonschema:"minLength=1"`
		Edits []struct {
			Old string `json:"oldText" jsonschema:"minLength=1"`
			New string `json:"newText"`
			All bool   `json:"replaceAll,omitempty" jsonschema:"default=false"`
		} `json:"edits" jsonschema:"minItems=1,maxItems=100"`
		DryRun bool `json:"dryRun,omitempty"`
	}
	nothing struct{}
)

// toolTypes are the arguments and results of twelve tools.
var toolTypes = [][2]reflect.Type{
	{reflect.TypeFor[readArgs](), reflect.TypeFor[readAnswer]()},
	{reflect.TypeFor[writeArgs](), reflect.TypeFor[writeAnswer]()},
	{reflect.TypeFor[listArgs](), reflect.TypeFor[listAnswer]()},
	{reflect.TypeFor[findArgs](), reflect.TypeFor[findAnswer]()},
	{reflect.TypeFor[runArgs](), reflect.TypeFor[runAnswer]()},
	{reflect.TypeFor[editArgs](), reflect.TypeFor[writeAnswer]()},
	{reflect.TypeFor[greeting](), reflect.TypeFor[writeAnswer]()},
	{reflect.TypeFor[nothing](), reflect.TypeFor[listAnswer]()},
}

func BenchmarkRegister(b *testing.B) {
	const tools = 53
	b.ReportAllocs()
	for b.Loop() {
		for k := range tools {
			types := toolTypes[k%len(toolTypes)]
			if _, err := schema.Input(types[0], schema.Options{}); err != nil {
				b.Fatal(err)
			}
			if _, err := schema.Output(types[1], schema.Options{}); err != nil {
				b.Fatal(err)
			}
			if _, err := schema.NewEncoder(types[1]); err != nil {
				b.Fatal(err)
			}
		}
	}
}
