package fs_test

import (
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/fs"
)

// FuzzSearch searches with arbitrary patterns and cursors. A refusal has a reason, and every other call ends.
func FuzzSearch(f *testing.F) {
	f.Add("*.go", "", "", true)
	f.Add("(a|b)*c$", "!**/x", "AAAAAA", false)
	f.Add("**/{a,b}/**/[!c]", "{a,{b,c}}/", "!", true)
	f.Add("./../x", "/", "", false)
	f.Add(`\pL+\b`, `\`, "", true)
	p := newProject(f, setup{answer: 1000}, map[string]string{"a/b/c.go": "a\nb\r\nc", "a/b.go": "\xff\x00", "日本.txt": "日本\n", ".x/y": "y"})
	f.Fuzz(func(t *testing.T, pattern, glob, cursor string, flag bool) {
		found, err := p.SearchFiles(t.Context(), fs.SearchFilesArgs{Pattern: pattern, IncludeIgnored: flag})
		if code := security.CodeOf(err); code != "" && code != security.InvalidParams {
			t.Errorf("search_files %q: %v", pattern, err)
		}
		if len(found.Files) > found.TotalCount || found.TotalCount > 7 {
			t.Errorf("search_files %q: %d entries of %d", pattern, len(found.Files), found.TotalCount)
		}
		content, err := p.SearchContent(t.Context(), fs.SearchContentArgs{Pattern: pattern, Glob: []string{glob}, Cursor: cursor, Multiline: flag})
		if code := security.CodeOf(err); code != "" && code != security.InvalidParams && code != "INVALID_PATTERN" && code != "INVALID_CURSOR" {
			t.Errorf("search_content %q: %v", pattern, err)
		}
		if content.TotalFiles > 3 || len(content.Files) > content.TotalFiles {
			t.Errorf("search_content %q: %d files of %d", pattern, len(content.Files), content.TotalFiles)
		}
		tree, err := p.WorkspaceStructure(t.Context(), fs.WorkspaceStructureArgs{ExcludePatterns: []string{pattern, glob}})
		if code := security.CodeOf(err); code != "" && code != security.InvalidParams {
			t.Errorf("get_workspace_structure %q: %v", pattern, err)
		}
		if tree.TotalFiles > 4 {
			t.Errorf("get_workspace_structure %q: %d files", pattern, tree.TotalFiles)
		}
	})
}
