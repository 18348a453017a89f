package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security/redact"
)

// settings are the settings of programs in the home directory, with the files that the user's configuration of git names. Secrets are
// left out, in a copy.
func (s *Sandbox) settings() ([]mount, error) {
	const most = 64
	var all []mount
	redactor := new(redact.Redactor)
	var paths []string
	for _, name := range []string{
		".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes", ".gitignore_global", ".gitignore", ".npmrc",
		".yarnrc", ".config/pip/pip.conf", ".pip/pip.conf", ".config/go/env", ".cargo/config.toml", ".cargo/config", ".editorconfig",
	} {
		paths = append(paths, filepath.Join(s.host.home, name))
	}
	gitConfigs := map[string]bool{paths[0]: true, paths[1]: true}
	for i := 0; i < len(paths) && i < most; i++ { // the list grows
		path := paths[i]
		source, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		if isDir(source) {
			all = append(all, mount{bindRead, source, path})
			continue
		}
		data, err := os.ReadFile(source)
		if err != nil {
			continue
		}
		if gitConfigs[path] {
			includes, others := s.namedByGit(path, data)
			for _, name := range append(includes, others...) {
				if !slices.Contains(paths, name) {
					paths = append(paths, name)
					gitConfigs[name] = slices.Contains(includes, name)
				}
			}
		}
		if clean := withoutSecrets(data, redactor); len(clean) != len(data) {
			source = filepath.Join(s.base, "settings", path)
			if err := os.MkdirAll(filepath.Dir(source), 0o700); err != nil {
				return nil, err
			}
			if err := os.WriteFile(source, clean, 0o600); err != nil {
				return nil, err
			}
		}
		all = append(all, mount{bindRead, source, path})
	}
	return all, nil
}

// namedByGit are the paths of files that a configuration of the user includes, and of other files and directories that it names.
func (s *Sandbox) namedByGit(path string, data []byte) (includes, others []string) {
	keys, _ := configKeys(data)
	for key, values := range keys {
		isInclude := key == "include.path" || strings.HasPrefix(key, "includeif.") && strings.HasSuffix(key, ".path")
		if !isInclude && !slices.Contains([]string{"core.excludesfile", "core.attributesfile", "core.hookspath", "commit.template"}, key) {
			continue
		}
		for _, value := range values {
			name := strings.Trim(value, `"`)
			if rest, ok := strings.CutPrefix(name, "~/"); ok {
				name = filepath.Join(s.host.home, rest)
			} else if isInclude && !filepath.IsAbs(name) {
				name = filepath.Join(filepath.Dir(path), name)
			}
			real, err := filepath.EvalSymlinks(name)
			if err != nil || !filepath.IsAbs(name) || !s.mayRead(real) || isInclude && isDir(real) {
				continue
			}
			if isInclude {
				includes = append(includes, filepath.Clean(name))
			} else {
				others = append(others, filepath.Clean(name))
			}
		}
	}
	slices.Sort(includes)
	slices.Sort(others)
	return includes, others
}

// withoutSecrets leaves out settings with credentials: a key with all lines of its value, and a section whose header has one.
func withoutSecrets(data []byte, redactor *redact.Redactor) []byte {
	var clean []byte
	inSecretSection, inSecretValue := false, false
	quote := "" // that ends the secret value
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		switch {
		case quote != "":
			if strings.Contains(text, quote) {
				quote = ""
			}
			continue
		case inSecretValue && (line[0] == ' ' || line[0] == '\t') && !strings.Contains(text, "=") && !strings.HasPrefix(text, "["):
			continue // the next line of the value
		case strings.HasPrefix(text, "["):
			inSecretSection = isSecretSetting(text, redactor)
		}
		if inSecretValue = inSecretSection || isSecretSetting(text, redactor); !inSecretValue {
			clean = append(clean, line...)
			continue
		}
		for _, mark := range []string{`"""`, "'''"} {
			if strings.Count(text, mark)%2 == 1 {
				quote = mark
			}
		}
	}
	return clean
}

// isSecretSetting reports whether a line of settings has a credential.
func isSecretSetting(line string, redactor *redact.Redactor) bool {
	name, value, _ := strings.Cut(line, "=")
	lower := strings.ToLower(line)
	key := strings.ToLower(strings.Trim(strings.TrimSpace(name), `"`))
	switch {
	case redactor.Redact(line) != line, strings.Contains(lower, "_auth"), strings.Contains(lower, "extraheader"):
		return true
	case !strings.HasPrefix(line, "[") && (redactor.SecretKey(key) || strings.HasSuffix(key, "pass") || strings.HasSuffix(key, "_api") || strings.Contains(key, "token")):
		return true
	}
	return hasUserAndPassword(value) || strings.HasPrefix(line, "[") && hasUserAndPassword(line)
}

// hasUserAndPassword reports whether a text has the form user:password@host, with or without a scheme.
func hasUserAndPassword(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\"',[]{}", r) }) {
		if _, rest, ok := strings.Cut(word, "://"); ok {
			word = rest
		}
		before, _, hasHost := strings.Cut(word, "@")
		user, password, ok := strings.Cut(before, ":")
		if hasHost && ok && user != "" && password != "" && !strings.Contains(before, "/") {
			return true
		}
	}
	return false
}
