package mcpjson_test

import (
	"fmt"
	"log"

	"github.com/dougu-go/dougu/tools/app/mcpjson"
)

// A file of a client becomes the upstreams of a gateway.
func ExampleParse() {
	file, err := mcpjson.Parse([]byte(`{
	  "mcpServers": {
	    "files": {"command": "files-mcp", "args": ["${workspaceFolder}"]},
	    "issues": {"url": "https://issues.example/mcp", "gateway": {"prefix": "gh"}}
	  }
	}`), mcpjson.Variables{Workspace: "/srv"})
	if err != nil {
		log.Fatal(err)
	}
	for _, upstream := range (mcpjson.Connector{}).Upstreams(file) {
		fmt.Println(upstream.Name, upstream.Prefix, upstream.Asks)
	}
	// Output:
	// files files false
	// issues gh true
}
