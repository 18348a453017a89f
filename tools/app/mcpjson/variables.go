package mcpjson

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Variables are the values of the expressions ${…} in a file.
type Variables struct {
	// Lookup returns an environment variable, for ${env:NAME}, ${NAME} and
	// ${NAME:-default}. Default: os.LookupEnv.
	Lookup func(name string) (string, bool)
	// Workspace is the value of ${workspaceFolder} and ${workspaceRoot}. Default: the
	// current directory.
	Workspace string
	// Home is the value of ${userHome}. Default: the home directory of the process.
	Home string
}

var variable = regexp.MustCompile(`\$\{([^{}]*)\}`)

var environmentName = regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9_]*\z`)

// fill replaces all variables of a text.
func (v Variables) fill(text string) (string, error) {
	var problems []error
	filled := variable.ReplaceAllStringFunc(text, func(match string) string {
		value, err := v.value(match[2 : len(match)-1])
		if err != nil {
			problems = append(problems, err)
		}
		return value
	})
	return filled, errors.Join(problems...)
}

func (v Variables) value(name string) (string, error) {
	var err error
	switch name {
	case "workspaceFolder", "workspaceRoot":
		if v.Workspace == "" {
			v.Workspace, err = os.Getwd()
		}
		return v.Workspace, err
	case "userHome":
		if v.Home == "" {
			v.Home, err = os.UserHomeDir()
		}
		return v.Home, err
	case "pathSeparator", "/":
		return string(os.PathSeparator), nil
	}
	if strings.HasPrefix(name, "input:") {
		return "", fmt.Errorf("${%s} needs input of a user, which is not available here; use ${env:NAME}", name)
	}
	key, otherwise, optional := strings.Cut(strings.TrimPrefix(name, "env:"), ":-")
	if !environmentName.MatchString(key) {
		return "", fmt.Errorf("${%s} is not a variable; write ${env:NAME}", name)
	}
	lookup := v.Lookup
	if lookup == nil {
		lookup = os.LookupEnv
	}
	value, set := lookup(key)
	switch {
	case set && (value != "" || !optional):
		return value, nil
	case optional:
		return otherwise, nil
	}
	return "", fmt.Errorf("the environment variable %s is not set", key)
}

// expand replaces the variables of a server in place.
func (s *Server) expand(v Variables) error {
	var problems []error
	fill := func(what string, text *string) {
		filled, err := v.fill(*text)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", what, err))
		}
		*text = filled
	}
	fill("command", &s.Command)
	fill("cwd", &s.Dir)
	fill("url", &s.URL)
	for i := range s.Args {
		fill(fmt.Sprintf("argument %d", i+1), &s.Args[i])
	}
	for what, values := range map[string]map[string]string{"env": s.Env, "headers": s.Headers, "tokens": s.Rules.Tokens} {
		for key, value := range values {
			fill(what+" "+key, &value)
			values[key] = value
		}
	}
	if o := s.Rules.OAuth; o != nil {
		fill("oauth issuer", &o.Issuer)
		fill("oauth clientId", &o.ClientID)
		fill("oauth clientSecret", &o.ClientSecret)
	}
	return errors.Join(problems...)
}
