package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// server is the name of the MCP server that receives reports by default.
const server = "kuromajutsu"

// errNoServer reports that the settings contain no MCP server.
var errNoServer = errors.New("the settings name no MCP server")

// serverTimeout limits the call of the server.
const serverTimeout = 30 * time.Second

// report replays a call of report_result.
func (p *player) report(r *report) (kind string, args object, run func() object) {
	inner := object{"status": r.Status, "summary": r.Summary}
	if len(r.Edited) > 0 {
		inner["editedFiles"] = r.Edited
	}
	if len(r.Created) > 0 {
		inner["createdFiles"] = r.Created
	}
	if r.Error != "" {
		inner["errorMessage"] = r.Error
	}
	name, command, err := server, transport.Command{}, errNoServer
	if r.Call {
		name, command, err = p.reportServer()
	}
	args = object{"name": name + "-report_result", "args": inner, "toolName": "report_result", "providerIdentifier": name, "toolCallId": "toolu_" + uuid()[:8]}
	return "mcpToolCall", args, func() object {
		switch {
		case errors.Is(err, errNoServer):
			return rejected("MCP server " + name + " is not approved")
		case err != nil:
			return failed(err)
		}
		text, wrong, err := callReport(command, inner)
		if err != nil {
			return failed(err)
		}
		return object{"success": object{"content": []object{{"text": object{"text": text}}}, "isError": wrong}}
	}
}

// reportServer finds the server in the settings files of the Cursor CLI.
func (p *player) reportServer() (string, transport.Command, error) {
	var settings struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	for _, dir := range []string{p.env["CURSOR_CONFIG_DIR"], filepath.Join(p.cwd, ".cursor")} {
		data, err := os.ReadFile(filepath.Join(dir, "mcp.json"))
		if dir == "" || errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(data, &settings)
		}
		if err != nil {
			return server, transport.Command{}, fmt.Errorf("reading the MCP servers: %w", err)
		}
		for name, s := range settings.Servers {
			if len(settings.Servers) > 1 && name != server {
				continue
			}
			command := transport.Command{Path: s.Command, Args: s.Args, Dir: p.cwd}
			for key, value := range s.Env {
				command.Env = append(command.Env, key+"="+value)
			}
			return name, command, nil
		}
	}
	return server, transport.Command{}, errNoServer
}

// callReport calls report_result at the server.
func callReport(command transport.Command, args object) (text string, wrong bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), serverTimeout)
	defer cancel()
	client, err := mcp.Connect(ctx, command, mcp.Implementation{Name: "fakeagent", Version: Version}, nil)
	if err != nil {
		return "", false, fmt.Errorf("connecting to the MCP server: %w", err)
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	result, err := client.CallTool(ctx, "report_result", args, nil)
	if err != nil {
		return "", false, fmt.Errorf("calling report_result: %w", err)
	}
	encoded, err := json.Marshal(result.Content)
	return string(encoded), result.IsError, err
}
