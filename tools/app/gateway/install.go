package gateway

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/tools/app/mcpjson"
)

// exampleServers is the content of a new file of servers. The gateway starts with it, and offers its own
// tool alone.
const exampleServers = `{
  "mcpServers": {
    "example": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv/docs"],
      "disabled": true
    }
  }
}
`

// prepareInstall names the file of servers in the flags of an entry, because clients start the gateway in
// directories of their choice. The file is the one of -config, of GATEWAY_CONFIG, mcp.json of the current
// directory if the user has approved all its servers, or else one in the user's settings, which is created.
func (o *options) prepareInstall(ctx context.Context, flags *flag.FlagSet, settings string, dryRun bool) ([]string, error) {
	if strings.HasPrefix(o.config, "${") { // the client replaces it
		return nil, nil
	}
	file, err := o.file()
	if err != nil {
		return nil, err
	}
	own := false // the file in the user's settings
	if !o.named() {
		if _, err := os.Stat(file); err == nil {
			if err := o.checkApprovals(ctx, file); err != nil {
				return nil, err
			}
		} else if settings == "" {
			return nil, errors.New("there is no mcp.json here, and the directory of your settings is unknown; name a file with -config")
		} else {
			file, own = filepath.Join(settings, "dougu", "gateway", "mcp.json"), true
		}
	}
	var notes []string
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && own:
		data = []byte(exampleServers)
		notes = append(notes, file+" is new and has an example alone: write your servers there, or enter the gateway with -config FILE. It is read again when it changes.")
		if !dryRun {
			if err := createServers(file, data); err != nil {
				return nil, fmt.Errorf("create the file of servers: %w", err)
			}
		}
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file; write one such as {\"mcpServers\": {\"files\": {\"command\": \"files-mcp\"}}}, or leave out -config and %s, and one is made in your settings", file, configVariable)
	case err != nil:
		return nil, fmt.Errorf("read the file of servers: %w", err)
	}
	// Variables are not replaced: the client may have others than this terminal.
	if _, err := mcpjson.ParseApproved(data, mcpjson.Variables{}, func(string, string) bool { return false }); err != nil {
		return nil, fmt.Errorf("the gateway would not start: %s: %w", file, err)
	}
	if o.config == "" {
		return notes, flags.Set("config", file)
	}
	return notes, nil
}

// checkApprovals returns an error if a file of a project asks for a server that the user has not approved. A
// file that -config names is believed.
func (o *options) checkApprovals(ctx context.Context, file string) error {
	projects, err := o.projectSettings(ctx)
	if err != nil {
		return err
	}
	for _, p := range projects {
		for _, r := range p.Requests {
			if !r.Approved {
				return fmt.Errorf("%s has servers that you have not approved, and the gateway believes a file that an entry names: look at it, and then use -config %s", file, filepath.Base(file))
			}
		}
	}
	return nil
}

// createServers creates the file of servers, for the user alone. An existing file stays.
func createServers(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
