package searchservice

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/config"
)

// pluginOf returns the plugin that a key configures, or "".
func pluginOf(path string) string {
	rest, ok := strings.CutPrefix(path, "plugins.config.")
	name, _, _ := strings.Cut(rest, ".")
	if !ok {
		return ""
	}
	return name
}

// problems returns an error for each unset variable, except in the configuration of a plugin.
func (x *expansion) problems(of settingsFile) error {
	var all *multierror.Error
	for _, lack := range x.unset {
		if pluginOf(lack.path) == "" {
			all = multierror.Append(all, fmt.Errorf("%s:%d:%d: %s: the variable %s is not set; set it, or write a value", of.path, lack.position.Line, lack.position.Column, lack.path, lack.variable))
		}
	}
	return all.ErrorOrNil()
}

// disablePlugins disables plugins with missing settings and adds a warning for each.
func (o *Options) disablePlugins(l *Loaded, expansions []*expansion, environ []string) {
	c := &l.Config.Plugins
	off := func(plugin, lack, next string) {
		if i := slices.Index(c.Enabled, plugin); i >= 0 {
			c.Enabled = slices.Delete(slices.Clone(c.Enabled), i, i+1)
			l.Warnings = append(l.Warnings, "the plugin "+plugin+" is disabled: it lacks "+lack+"; "+next)
			if plugin == pluginGitHub {
				l.noIssues = &mcp.ToolError{Code: "NO_TOKEN", Message: "GitHub is not available: this server lacks " + lack, Next: "Tell the user to " + next + "."}
			}
		}
	}
	for _, x := range expansions {
		for _, lack := range x.unset {
			if plugin := pluginOf(lack.path); plugin != "" && !superseded(l.Config, lack.path) {
				off(plugin, fmt.Sprintf("the variable %s in %s", lack.variable, lack.path), "set it and start the server again")
			}
		}
	}
	for _, value := range []struct {
		to       *string
		variable string
	}{{&c.Config.GitHub.Token, "GITHUB_TOKEN"}, {&c.Config.GitHub.Owner, "GITHUB_OWNER"}, {&c.Config.GitHub.Repo, "GITHUB_REPO"}} {
		if *value.to == "" {
			*value.to = config.HandedOn(environ, value.variable)
		}
	}
	if c.Config.GitHub.Token == "" {
		off(pluginGitHub, "a token for GitHub", "set GITHUB_TOKEN, or plugins.config.github.token, to a token that may read and write issues, and start the server again")
	}
}

// superseded reports whether a value of the github plugin is set by another source.
func superseded(c Config, path string) bool {
	g := c.Plugins.Config.GitHub
	return map[string]string{"plugins.config.github.token": g.Token, "plugins.config.github.owner": g.Owner, "plugins.config.github.repo": g.Repo}[path] != ""
}

// validate returns an error for settings that contradict each other.
func validate(c Config) error {
	var all *multierror.Error
	auth := c.Security.Authentication
	if auth.Enabled && auth.TokenSecret == "" && auth.TokenFile == "" {
		all = multierror.Append(all, errors.New("security.authentication.enabled is true, but there is no token: set security.authentication.tokenSecret, such as \"${CQM_TOKEN}\", or tokenFile"))
	}
	if c.Embeddings.Provider != embedOff && c.Embeddings.Model == "" {
		all = multierror.Append(all, errors.New("embeddings.provider is "+c.Embeddings.Provider+", but embeddings.model is empty"))
	}
	all = multierror.Append(all, checkKey(c.Embeddings.Key, c.Embeddings.URL))
	t := c.Transport
	if !t.Stdio && !t.WebSocket && !t.TCP && !t.HTTP {
		all = multierror.Append(all, errors.New("transport.stdio, websocket, tcp and http are all false: turn one of them on"))
	}
	return all.ErrorOrNil()
}
