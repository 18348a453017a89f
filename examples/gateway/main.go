// Command gateway is one MCP server in front of any number of others, which are named in a file in the format of mcp.json. It
// authenticates clients by tokens, checks permissions, counts and limits requests, and keeps an audit log.
package main

import (
	"os"

	"github.com/dougu-go/dougu/tools/app/gateway"
)

func main() {
	os.Exit(gateway.New().Main(os.Args[1:]))
}
