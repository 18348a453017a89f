package security

import (
	"errors"
	"path"
	"strings"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pattern"
)

// DefaultBlocked returns the default of RootOptions.Blocked: patterns of keys, passwords, tokens and stored
// credentials. Append patterns to block more files. Append a pattern with a leading "!" to allow a file.
func DefaultBlocked() []string {
	return []string{
		// Settings with secrets, and their examples without.
		".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", "!.env.dist", "!.env.defaults",
		// Private keys and key stores.
		"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "!id_*.pub",
		".ssh/**", ".gnupg/**",
		// Clouds and clusters.
		".aws/credentials", ".aws/sso/**", ".aws/cli/**", ".azure/**", ".config/gcloud/**", "application_default_credentials.json",
		".kube/config", ".docker/config.json", ".terraform.d/credentials.tfrc.json", "*.tfstate", "*.tfstate.backup", ".vault-token",
		// Registries, forges and databases.
		".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".git/credentials", ".config/gh/hosts.yml", ".config/hub",
		".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".composer/auth.json", ".m2/settings-security.xml",
		".pgpass", ".my.cnf", ".htpasswd",
		// Dougu's own programs.
		"dougu/tokens/**",
		// Histories of commands.
		".bash_history", ".zsh_history", ".psql_history", ".mysql_history",
	}
}

// DefaultProtected returns the default of RootOptions.Protected. These files make other programs run code when a
// project is opened, a shell starts or a commit is made, or they restrict agents.
func DefaultProtected() []string {
	return append(projectfile.Names(), []string{
		// Git runs hooks, and commands from its configuration; a file .git can lead it to another one.
		".git", ".gitconfig", ".config/git/**", ".husky/**", ".githooks/**",
		// Editors run tasks, start servers and load code when they open a project.
		".vscode/**", "*.code-workspace", ".idea/**", ".devcontainer/**", ".devcontainer.json", ".zed/**",
		".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".dir-locals.el",
		// Agents start servers and hooks, and read their permissions from these files. Cursor's rules and commands are only text.
		".cursor/*", "!.cursor/rules", "!.cursor/commands", ".mcp.json", ".claude/settings*.json", ".claude/hooks/**",
		".claude.json", ".gemini/settings.json", ".codex/**", ".roo/mcp.json", ".windsurf/mcp_config.json", ".cursorcli-mcp/**", ".dougu/**",
		// Shells, debuggers, build tools and sessions.
		".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
		".config/fish/**", ".gdbinit", ".lldbinit", ".cargo/config", ".cargo/config.toml",
		".config/autostart/**", ".config/systemd/**", "Library/LaunchAgents/**",
		// Approvals that users of Dougu's programs have given, and settings of users, wherever the directory for settings is.
		".config/dougu/**", "dougu/trust.json", "dougu/trust.json.lock", "dougu/tokens/**", "cqm/config.yaml",
	}...)
}

// Matcher matches paths with patterns in the syntax of [RootOptions].Protected. It is safe for concurrent use.
type Matcher struct{ patterns pattern.List }

// NewMatcher compiles patterns. The error contains every malformed pattern.
func NewMatcher(sources []string) (*Matcher, error) {
	list, faults := compilePatterns(sources)
	return &Matcher{list}, errors.Join(faults...)
}

// Match reports whether an entry matches. rel is its slash-separated path relative to a directory of the project.
// Match does not check the directories above the entry.
func (m *Matcher) Match(rel string) bool {
	dir, name := path.Split(pattern.Fold(rel))
	return m.patterns.MatchEntry(strings.TrimSuffix(dir, "/"), name)
}

// compilePatterns compiles patterns and returns one error for each malformed pattern.
func compilePatterns(sources []string) (pattern.List, []error) {
	list, malformed := pattern.Compile(sources)
	var faults []error
	for _, source := range malformed {
		faults = append(faults, invalid("Write it as a glob with *, ?, [a-z], {a,b} and **, with slashes, such as *.pem or .ssh/**.", "The pattern %s is malformed.", quote(source)))
	}
	return list, faults
}

// admit checks that tools may read a path. final is a path in the tree of t: first the given one, after opening the
// final one.
func (r *Root) admit(t target, final string) error {
	if final != t.rel {
		// A link can lead to a name that is refused as an argument.
		if _, _, err := cleanPath(final); err != nil {
			return refuse(PermissionDenied, UnsafeName, t.given, quote(t.given)+" leads to a name that is not allowed.", "Use another file.")
		}
	}
	if rootfs.IsTemp(path.Base(final)) {
		return unsafeName(t.given, "is reserved for files that are being written")
	}
	if r.blocked.Match(final) {
		return blocked(t.given)
	}
	return nil
}

// blocked returns the refusal of a blocked file.
func blocked(given string) error {
	return refuse(PermissionDenied, BlockedPattern, given, quote(given)+" is hidden from tools, because files like it hold secrets.",
		"Do without its content. If an example or template of it exists, read that; otherwise ask the user for what you need to know.")
}

// admitChange checks that tools may read and write a path.
func (r *Root) admitChange(t target, final string) error {
	if err := r.admit(t, final); err != nil {
		return err
	}
	if r.protected.Match(final) {
		return protectedPath(t.given, final)
	}
	return nil
}

// protectedPath returns the refusal of a path that a pattern protects.
func protectedPath(given, final string) error {
	for name := range strings.SplitSeq(final, "/") {
		switch pattern.Fold(name) {
		case pattern.Fold(TrashDir):
			return refuse(PermissionDenied, ProtectedFile, given, quote(given)+" is write-protected, because it belongs to the trash, which holds deleted files.",
				"Leave it as it is. A deleted file or directory can be moved out of the trash.")
		case pattern.Fold(BackupDir):
			return refuse(PermissionDenied, ProtectedFile, given, quote(given)+" is write-protected, because it belongs to the backups, which hold former versions of files.",
				"Leave it as it is. To bring a former version back, read it and write its content to the file.")
		}
	}
	return protectedFile(given)
}

// protectedFile returns the refusal of a write to a protected file.
func protectedFile(given string) error {
	return refuse(PermissionDenied, ProtectedFile, given, quote(given)+" is write-protected, because it makes other programs run code or holds their permissions.",
		"Show the change to the user and let them make it.")
}
