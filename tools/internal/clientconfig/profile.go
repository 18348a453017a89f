package clientconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// LocateProfile returns the configuration file of a profile of VS Code. It reads the names of the
// profiles from VS Code's storage.json. A profile that shares the servers of the default profile
// has the user's file.
func (c Client) LocateProfile(e Environment, name string) (Location, error) {
	if c.key != "servers" {
		return Location{}, fmt.Errorf("%s has no profiles with servers of their own; -vscode-profile is for vscode and vscode-insiders", c.Title)
	}
	at, err := c.Locate(e, User, "")
	if err != nil {
		return at, err
	}
	user, file := e.split(at.File)
	content, err := Read(e.join(user, "globalStorage", "storage.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return at, fmt.Errorf("reading the profiles of %s: %w", c.Title, err)
	}
	// The interface StoredUserDataProfile of
	// https://github.com/microsoft/vscode/blob/main/src/vs/platform/userDataProfile/common/userDataProfile.ts.
	var storage struct {
		Profiles []struct {
			Name     string          `json:"name"`
			Location json.RawMessage `json:"location"` // the name of a directory, or a URI of it
			Shared   struct {
				MCP bool `json:"mcp"`
			} `json:"useDefaultFlags"`
		} `json:"userDataProfiles"`
	}
	if len(content) > 0 {
		if err := json.Unmarshal(content, &storage); err != nil {
			return at, fmt.Errorf("reading the profiles of %s: %w", c.Title, err)
		}
	}
	known := []string{"Default"}
	for _, p := range storage.Profiles {
		known = append(known, p.Name)
		if p.Name != name {
			continue
		}
		dir := profileDir(p.Location)
		if dir == "" {
			return at, fmt.Errorf("the directory of the profile %q of %s is not known", name, c.Title)
		}
		if !p.Shared.MCP {
			at.File = e.join(user, "profiles", dir, file)
		}
		return at, nil
	}
	if name == known[0] {
		return at, nil
	}
	return at, fmt.Errorf("%s has no profile %q; known are %s", c.Title, name, strings.Join(known, ", "))
}

// profileDir returns the name of a profile's directory, or "" if the location is invalid.
func profileDir(location json.RawMessage) string {
	var name string
	var uri struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(location, &name) != nil {
		if json.Unmarshal(location, &uri) != nil || uri.Path == "" {
			return ""
		}
		name = uri.Path
	}
	if name = path.Base(name); name == "." || name == ".." || name == "/" || strings.Contains(name, `\`) {
		return ""
	}
	return name
}
