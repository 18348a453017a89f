// Package mcpjson reads the files in which MCP clients are told of their servers,
// and makes upstreams of a gateway of them: mcp.json of Cursor and Claude Code,
// claude_desktop_config.json ("mcpServers") and mcp.json of VS Code ("servers").
//
//	{
//	  "mcpServers": {
//	    "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv/docs"]},
//	    "issues": {"url": "https://issues.example/mcp", "headers": {"Authorization": "Bearer ${env:ISSUES_TOKEN}"},
//	      "gateway": {"prefix": "gh", "deny": ["delete_*"], "timeout": "2m"}}
//	  }
//	}
//
// What concerns the gateway alone is in a member of its own, "gateway", which
// clients leave alone; see Rules.
package mcpjson
