package projectfile

import "strings"

// The places in a project where a program keeps files of its own by default, relative to the project.
const (
	CursorCLIDir = ".cursorcli-mcp"
	AuditLog     = "logs/audit.log" // of editor
	Chunks       = "data/chunks"    // the index of chunks
)

// OwnDirs returns the directories that hold, or may hold, files of a program: the parents of the constants above, and
// their parents within the project.
func OwnDirs() []string { return []string{CursorCLIDir, "logs", "data", Chunks} }

// Gitignore is the name of the file in each of these directories that hides the files of the program from git.
const Gitignore = ".gitignore"

const gitignoreHeader = "# Files that a program of Dougu keeps here. Delete a line to let git see its file.\n"

// GitignoreContent returns the text of a Gitignore. It hides itself and the entries of its directory with the names,
// which may be patterns.
func GitignoreContent(names ...string) string {
	text := gitignoreHeader + "/" + Gitignore + "\n"
	for _, name := range names {
		text += "/" + name + "\n"
	}
	return text
}

// IsGitignore reports whether GitignoreContent made a text, which the user may have shortened since.
func IsGitignore(content string) bool {
	first, _, _ := strings.Cut(gitignoreHeader, "\n")
	return strings.HasPrefix(content, first)
}
