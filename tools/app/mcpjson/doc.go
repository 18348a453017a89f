// Package mcpjson reads the configuration files in which MCP clients list their servers,
// and turns the servers into upstreams of a gateway. It reads mcp.json of Cursor and Claude
// Code, claude_desktop_config.json (member "mcpServers") and mcp.json of VS Code (member
// "servers").
package mcpjson
