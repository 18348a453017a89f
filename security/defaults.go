package security

import "github.com/dougu-go/dougu/internal/projectfile"

// BackupDir is the directory, at the top of each project directory, in which Root keeps former versions of files. Tools can
// read it but not write to it, and listings leave it out unless it is opened by name.
const BackupDir = ".dougu-backup"

// DefaultBlocked lists the files that a Root hides from tools unless RootOptions.Blocked says otherwise: keys, passwords,
// tokens and what programs store of them. To add to it, append; to allow one file, append its pattern with "!" before it.
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
		// What was typed.
		".bash_history", ".zsh_history", ".psql_history", ".mysql_history",
	}
}

// DefaultProtected lists the files that a Root lets tools read but not write unless RootOptions.Protected says otherwise:
// files that make other programs run code, as soon as a project is opened, a shell is started or a commit is made, and the
// settings that restrain agents.
func DefaultProtected() []string {
	return append(projectfile.Names(), []string{
		// Git runs hooks, and commands from its configuration; a file .git can lead it to another one.
		".git", ".gitconfig", ".config/git/**", ".husky/**", ".githooks/**",
		// Editors run tasks, start servers and load code when they open a project.
		".vscode/**", "*.code-workspace", ".idea/**", ".devcontainer/**", ".devcontainer.json", ".zed/**",
		".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".dir-locals.el",
		// Agents start servers and hooks, and read there what they may do. Cursor's rules and commands are only text.
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
