package security

import (
	"io"
	"slices"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// maxOwnEntries is the limit of entries that holdsOnlyOwn examines. The directories of programs have fewer.
const maxOwnEntries = 64

// isOwn reports whether an entry is a directory of the ready programs with nothing in it but their files, all of which
// their .gitignore hides. Listings omit such a directory. A directory is no longer omitted when the user deletes a line
// of the .gitignore or adds a file.
func (t *tree) isOwn(final string) bool {
	return slices.Contains(projectfile.OwnDirs(), final) && t.holdsOnlyOwn(final)
}

func (t *tree) holdsOnlyOwn(final string) bool {
	dir, err := t.OpenDir(final)
	if err != nil {
		return false
	}
	defer dir.Close()
	if dir.Path != final {
		return false
	}
	rules := ownRules(final, dir)
	examined := 0
	for {
		entries, err := dir.Next(maxOwnEntries)
		if err != nil {
			return err == io.EOF && examined > 0
		}
		for _, e := range entries {
			examined++
			below := slashpath.Join(final, e.Name)
			if examined > maxOwnEntries || rules.Match(e.Name, e.Type.IsDir()) != ignore.Ignored && !(e.Type.IsDir() && t.isOwn(below)) {
				return false
			}
		}
	}
}

// ownRules returns the rules by which a directory at a place of the ready programs hides their files. They are nil, and
// match nothing, if the directory has no .gitignore of the programs.
func ownRules(final string, dir *rootfs.Dir) *ignore.Rules {
	if !slices.Contains(projectfile.OwnDirs(), final) {
		return nil
	}
	content, _, err := dir.ReadFile(projectfile.Gitignore, nil, 4096)
	if err != nil {
		return nil
	}
	if projectfile.IsGitignore(string(content)) {
		return ignore.Parse(content)
	}
	if _, err := dir.Lstat("chunks.jsonl"); err == nil && final == projectfile.Chunks && string(content) == "*\n" {
		return ignore.Parse(content) // of an earlier version
	}
	return nil
}
