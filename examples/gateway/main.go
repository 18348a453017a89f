// Command gateway is one MCP server in front of any number of others: those that a
// file names as MCP clients name theirs, mcp.json. It lets in who has a token,
// lets each use what the token is good for, counts and limits what is asked, and
// keeps a log of what was done.
package main

import (
	"os"

	"github.com/dougu-go/dougu/tools/app/gateway"
)

func main() {
	os.Exit(gateway.New().Main(os.Args[1:]))
}
